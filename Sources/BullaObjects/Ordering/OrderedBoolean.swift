package import BullaMemory

extension Bool {
    /// Decodes a byte: 1 is true, 0 is false; `nil` for anything else.
    package init?(ordered bytes: ByteView) {
        let byte = bytes.load(UInt8.self, at: 0)
        guard bytes.byteCount == 1, byte <= 1 else { return nil }
        self = byte == 1
    }
}
