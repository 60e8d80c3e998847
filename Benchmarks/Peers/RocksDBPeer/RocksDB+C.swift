internal import BullaBenchKit
internal import CRocksDB

/// The errors of RocksDB's C interface, which makes a string for each.
enum RocksDB {
    /// Where a call stores the text of its error.
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

    /// Makes an error from the text, and frees the text.
    static func error(_ attempt: String, _ text: UnsafeMutablePointer<CChar>) -> BenchError {
        // SAFETY: the string was given to the caller to free; it is freed after it has been copied.
        defer { unsafe rocksdb_free(text) }
        return unsafe BenchError(.store, "RocksDB: \(attempt): \(String(cString: text))")
    }

    /// Lends bytes in the type that RocksDB's C interface takes; RocksDB reads and copies them.
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

    /// Lends `body` bytes that belong to RocksDB, which keeps them in place while `body` runs.
    @inline(__always)
    static func span<R>(
        _ start: UnsafePointer<CChar>?, _ count: Int, _ body: (RawSpan) throws -> R
    ) rethrows -> R {
        // SAFETY: see above.
        try body(
            unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: start, count: count)))
    }
}
