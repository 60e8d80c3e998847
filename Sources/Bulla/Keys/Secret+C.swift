extension Secret {
    /// The UTF-8 bytes of a text, exactly: nothing is trimmed, and nothing normalized.
    ///
    /// The memory of a `String` cannot be wiped, and copies of it stay behind where it was: take
    /// a password as bytes, or from a ``KeySource``, where that matters.
    ///
    /// - Parameter text: 1 to 4096 bytes of UTF-8.
    /// - Throws: `invalidArgument` for another number of bytes; `outOfMemory`.
    public convenience init(_ text: String) throws(BullaError) {
        // SAFETY: the bytes of a string may be looked at as bytes, and are copied at once.
        try unsafe self.init(text.utf8Span.span.bytes)
    }
}
