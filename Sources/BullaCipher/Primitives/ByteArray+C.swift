internal import BullaMemory

extension [UInt8] {
    /// Lends the bytes.
    ///
    /// The view must not leave `body`.
    func withView<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { buffer throws(E) in
            // SAFETY: the array stays where it is while `body` runs; without bytes, none are read.
            try body(unsafe ByteView(base: buffer.baseAddress ?? nowhere, byteCount: buffer.count))
        }
    }
}

extension Digest {
    /// The digest in the first 32 of `bytes`.
    init(_ bytes: [UInt8]) {
        self = bytes.withView { Digest($0) }
    }
}

/// Where an empty view points.
private nonisolated(unsafe) let nowhere = unsafe UnsafePointer(
    UnsafeMutablePointer<UInt8>.allocate(capacity: 1))
