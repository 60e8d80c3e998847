internal import BullaMemory

/// A page of words in a file, which all processes that open it share.
///
/// Owns the mapping: a noncopyable value cannot be read while a class is being made.
final class SharedPage: Sendable {
    static let byteCount = 4096

    private let file: FileMapping
    let words: SharedWords

    init(_ descriptor: Descriptor, _ path: String) throws {
        do {
            file = try FileMapping(
                descriptor: descriptor.number, offset: 0, byteCount: Self.byteCount,
                isWritable: true)
        } catch {
            throw BenchError(.system, "map \(path): \(error)")
        }
        words = SharedWords(file.bytes)
    }
}
