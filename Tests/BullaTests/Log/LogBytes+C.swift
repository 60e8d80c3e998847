import BullaMemory

extension StaticString {
    /// The bytes of the text, which live as long as the process.
    var lasting: ByteView {
        // SAFETY: a literal of more than one scalar is part of the binary.
        unsafe ByteView(base: utf8Start, byteCount: utf8CodeUnitCount)
    }
}
