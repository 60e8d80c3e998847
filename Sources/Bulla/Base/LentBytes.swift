internal import BullaMemory

extension [UInt8] {
    /// A copy of bytes that a store lends, for the caller to keep.
    public init(copying bytes: RawSpan) { self = bytes.withView { $0.copied() } }
}

extension String {
    /// The text of bytes that a store lends: UTF-8, in which what is none is replaced by U+FFFD.
    public init(decoding bytes: RawSpan) { self = bytes.withView { $0.text } }
}
