internal import BullaMemory
internal import Glibc

/// The file that bare commits write to, and the words that their processes share.
final class BareFile: Sendable {
    /// What a small commit of a store writes: a page for each level, and one of the catalog.
    private static let blockByteCount = 16 << 10
    static let blockCount = 4096

    private let file: Descriptor
    private let page: SharedPage
    private let block = [UInt8](repeating: 0x5A, count: blockByteCount)

    var words: SharedWords { page.words }

    /// Makes the files, so that no commit has to make them grow.
    static func prepare(_ folder: String) throws {
        let data = try Descriptor.create(folder + "/bare.data")
        let blocks = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<blockCount * blockByteCount / blocks.count { try data.write(blocks) }
        try flush(data)
        let words = try Descriptor.create(folder + "/bare.words")
        try words.write([UInt8](repeating: 0, count: SharedPage.byteCount))
    }

    init(opening folder: String) throws {
        file = try Descriptor.openShared(folder + "/bare.data")
        let path = folder + "/bare.words"
        page = try SharedPage(try Descriptor.openShared(path), path)
    }

    func write(block place: Int) throws {
        // SAFETY: the array, borrowed during the call.
        let count = unsafe block.withUnsafeBytes { bytes in
            unsafe pwrite(
                file.number, bytes.baseAddress, bytes.count, off_t(place * Self.blockByteCount))
        }
        guard count == Self.blockByteCount else { throw BenchError(system: "write bare commits") }
    }

    func flush() throws { try Self.flush(file) }

    private static func flush(_ file: Descriptor) throws {
        guard fdatasync(file.number) == 0 else { throw BenchError(system: "flush bare commits") }
    }
}
