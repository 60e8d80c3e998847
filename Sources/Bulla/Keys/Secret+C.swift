extension Secret {
    /// Copies the exact UTF-8 bytes of a text: nothing is trimmed or normalized.
    ///
    /// The memory of a `String` cannot be wiped, and copies of it can remain elsewhere. If that
    /// matters, take a password as bytes, or from a ``KeySource``.
    ///
    /// - Parameter text: 1 to 4096 bytes of UTF-8.
    /// - Throws: `invalidArgument` for another number of bytes; `outOfMemory`.
    public convenience init(_ text: String) throws(BullaError) {
        // SAFETY: a string's storage may be read as bytes, and these are copied at once.
        try unsafe self.init(text.utf8Span.span.bytes)
    }
}
