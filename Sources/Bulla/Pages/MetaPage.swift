package import BullaCipher
package import BullaMemory

/// The fields of a meta slot, in file order.
package enum MetaField: Int, CaseIterable {
    case magic, formatVersion, slot, reserved, record, authenticator

    package var byteCount: Int {
        switch self {
        case .magic: 8
        case .formatVersion, .slot: 2
        case .reserved: 4
        case .record: CommitField.byteCount
        case .authenticator: 32
        }
    }

    package var offset: Int { Self.allCases.prefix(rawValue).reduce(0) { $0 + $1.byteCount } }
    /// Less than 512 bytes, the size up to which no disk tears a write.
    package static let byteCount = allCases.reduce(0) { $0 + $1.byteCount }

    package var meaning: String {
        switch self {
        case .magic: "the bytes 42 55 4C 4C 41 6D 65 74"
        case .formatVersion: "1"
        case .slot: "0 or 1, so that a copy of one slot over the other is noticed"
        case .reserved: "zero"
        case .record: "the commit record"
        case .authenticator: "HMAC-SHA-256 of the header's checksum and the fields before"
        }
    }
}

/// One of the two meta slots, which holds the authenticated record of one commit.
package struct MetaPage {
    static let magic: UInt64 = 0x7465_6D41_4C4C_5542
    package static let slotCount = 2

    package static func offset(slot: Int) -> UInt64 {
        UInt64(PageFormat.metaOffset + slot * PageFormat.copyDistance)
    }

    /// Writes a slot's bytes.
    ///
    /// - Parameters:
    ///   - hmac: an HMAC under the meta key. A plain store uses a key of 32 zero bytes, which makes
    ///     the HMAC a checksum.
    package static func write(
        _ record: CommitRecord, slot: Int, header: HeaderPage, hmac: HMAC,
        into bytes: MutableByteView
    ) throws(BullaError) {
        bytes.store(magic, at: MetaField.magic.offset)
        bytes.store(PageFormat.version, at: MetaField.formatVersion.offset)
        bytes.store(UInt16(slot), at: MetaField.slot.offset)
        bytes.store(UInt32(0), at: MetaField.reserved.offset)
        record.write(bytes, at: MetaField.record.offset)
        try authenticator(bytes.view, header, hmac)
            .store(in: bytes, at: MetaField.authenticator.offset)
    }

    /// The commit that a slot names, or `nil` if the slot is damaged or forged.
    package static func read(
        _ bytes: ByteView, slot: Int, header: HeaderPage, hmac: HMAC
    ) throws(BullaError) -> CommitRecord? {
        guard bytes.load(UInt64.self, at: MetaField.magic.offset) == magic,
            bytes.load(UInt16.self, at: MetaField.slot.offset) == UInt16(slot)
        else { return nil }
        let stored = Digest(bytes.slice(MetaField.authenticator.offset, Digest.byteCount))
        guard try authenticator(bytes, header, hmac).equals(stored) else { return nil }
        return CommitRecord(bytes, at: MetaField.record.offset)
    }

    private static func authenticator(
        _ bytes: ByteView, _ header: HeaderPage, _ hmac: HMAC
    ) throws(BullaError) -> Digest {
        do throws(CipherError) {
            return try header.digest.bytes.withView { digest throws(CipherError) in
                try hmac.digest(
                    of: [digest, bytes.slice(0, MetaField.authenticator.offset)])
            }
        } catch { throw BullaError.cipher("authenticate meta page", error) }
    }
}
