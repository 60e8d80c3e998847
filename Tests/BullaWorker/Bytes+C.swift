extension RawSpan {
    /// Lends a copy of the bytes.
    package func withBytes<R>(_ body: ([UInt8]) -> R) -> R {
        // SAFETY: the buffer does not leave the closure.
        body(unsafe withUnsafeBytes { unsafe Array($0) })
    }
}
