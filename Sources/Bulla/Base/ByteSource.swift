/// Contiguous bytes: the form in which a caller gives a key, a value or a name.
///
/// A string stands for its UTF-8 bytes. Keys sort by their bytes.
public protocol ByteSource {
    /// Lends the bytes to `body` until `body` returns; the result may be of a noncopyable type.
    func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R
}
