internal import BullaMemory

extension [UInt8] {
    /// Copies bytes that a store lends, so that the caller can keep them.
    public init(copying bytes: RawSpan) { self = bytes.withView { $0.copied() } }
}

extension String {
    /// The UTF-8 text in bytes that a store lends; U+FFFD replaces what is not UTF-8.
    public init(decoding bytes: RawSpan) { self = bytes.withView { $0.text } }
}
