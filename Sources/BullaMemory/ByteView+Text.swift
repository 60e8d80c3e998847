extension ByteView {
    /// Whether the bytes are valid UTF-8 from end to end.
    package var isText: Bool {
        // SAFETY: valid for `byteCount` bytes, and the span does not leave this expression.
        let bytes = unsafe Span(
            _unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: byteCount)
        return (try? UTF8Span(validating: bytes)) != nil
    }
}
