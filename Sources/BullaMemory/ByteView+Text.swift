extension ByteView {
    /// Whether the bytes are valid UTF-8 from end to end.
    package var isText: Bool {
        isASCII || (try? UTF8Span(validating: units)) != nil
    }

    /// The bytes as text; `nil` if they are not valid UTF-8.
    package var textIfValid: String? {
        // SAFETY: bytes below 128 are UTF-8.
        if isASCII {
            return unsafe String(copying: UTF8Span(unchecked: units, isKnownASCII: true))
        }
        guard let text = try? UTF8Span(validating: units) else { return nil }
        return String(copying: text)
    }

    /// The bytes as text; ``isText`` must have been true, and they must not have changed since.
    package var validText: String {
        // SAFETY: they are UTF-8, as the caller has checked.
        unsafe String(copying: UTF8Span(unchecked: units, isKnownASCII: isASCII))
    }

    /// Whether all bytes are ASCII.
    ///
    /// The callers above check this first: most texts are short, and for those, the library's own
    /// check of UTF-8 takes longer.
    private var isASCII: Bool { unionOfWords & 0x8080_8080_8080_8080 == 0 }

    /// The bytes, for as long as the view is used.
    private var units: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            // SAFETY: valid for `byteCount` bytes for as long as the view may be used.
            let units = unsafe Span(
                _unsafeStart: base.assumingMemoryBound(to: UInt8.self), count: byteCount)
            return unsafe _overrideLifetime(units, borrowing: self)
        }
    }
}
