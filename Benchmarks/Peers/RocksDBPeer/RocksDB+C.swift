internal import BullaBenchKit
internal import CRocksDB

/// How RocksDB's C interface tells of errors: it makes a string for each.
enum RocksDB {
    /// The place where a call leaves the text of its error.
    typealias Failure = UnsafeMutablePointer<CChar>?

    /// Makes a call that can fail.
    @inline(__always)
    @discardableResult
    static func call<R>(
        _ attempt: @autoclosure () -> String, _ body: (inout Failure) throws -> R
    ) throws -> R {
        var failure: Failure = nil
        let result = try unsafe body(&failure)
        guard let text = unsafe failure else { return result }
        throw unsafe error(attempt(), text)
    }

    /// Takes the text, and frees it.
    static func error(_ attempt: String, _ text: UnsafeMutablePointer<CChar>) -> BenchError {
        // SAFETY: the string is the caller's to free, after it has been copied.
        defer { unsafe rocksdb_free(text) }
        return unsafe BenchError(.store, "RocksDB: \(attempt): \(String(cString: text))")
    }

    /// Lends bytes as the interface takes them, which reads and copies them.
    @inline(__always)
    static func lend<R>(
        _ bytes: RawSpan, _ body: (UnsafePointer<CChar>?, Int) throws -> R
    ) rethrows -> R {
        // SAFETY: the bytes live while `body` runs, and are bytes of any kind.
        try unsafe bytes.withUnsafeBytes { buffer in
            try unsafe body(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    /// The bytes that the interface has at an address, which stay there while `body` runs.
    @inline(__always)
    static func span<R>(
        _ start: UnsafePointer<CChar>?, _ count: Int, _ body: (RawSpan) throws -> R
    ) rethrows -> R {
        // SAFETY: as said.
        try body(
            unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
    }
}
