/// Bytes in a row: what a key, a value or a name can be given as.
///
/// A string stands for its UTF-8 bytes. Keys sort by their bytes.
public protocol ByteSource {
    /// Lends the bytes for as long as `body` runs.
    func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R
}
