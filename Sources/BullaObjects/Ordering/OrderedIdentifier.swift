package import BullaMemory
package import FoundationEssentials

extension [UInt8] {
    /// Appends the sixteen bytes of an identifier, which sort as its text does.
    package mutating func append(_ identifier: UUID) {
        let uuid = identifier.uuid
        append(contentsOf: [uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7])
        append(contentsOf: [uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15])
    }
}

extension UUID {
    /// Decodes an identifier; `nil` if there are not sixteen bytes.
    package init?(_ bytes: ByteView) {
        guard bytes.byteCount == 16 else { return nil }
        func byte(_ offset: Int) -> UInt8 { bytes.load(UInt8.self, at: offset) }
        self.init(
            uuid: (
                byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
                byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
            ))
    }
}
