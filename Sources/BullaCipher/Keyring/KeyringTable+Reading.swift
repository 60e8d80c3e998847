internal import BullaMemory

extension KeyringTable {
    /// The result of reading a copy, before any key is tried.
    enum Reading {
        case table(KeyringTable)
        /// The checksum is wrong, or the fields hold values that no writer writes.
        case damaged
        /// The copy is whole, but has a layout that this version does not know.
        case unsupported(UInt16)
    }

    /// Reads a copy without trusting it.
    ///
    /// - Parameters:
    ///   - copy: private to the caller, because shared memory can change between two reads.
    static func read(_ copy: ByteView) throws(CipherError) -> Reading {
        guard copy.byteCount == Keyring.copyByteCount,
            copy.load(UInt64.self, at: KeyringField.magic.offset) == magic
        else { return .damaged }
        let sum = try KeyDerivation.sha256(copy.slice(0, KeyringField.checksum.offset))
        let stored = Digest(copy.slice(KeyringField.checksum.offset, Digest.byteCount))
        guard stored.equals(sum) else { return .damaged }
        let version = copy.load(UInt16.self, at: KeyringField.layoutVersion.offset)
        guard version == layoutVersion else { return .unsupported(version) }
        return KeyringTable(whole: copy).map { .table($0) } ?? .damaged
    }

    /// Whether a holder of the master secret wrote the copy for this header.
    static func isAuthentic(
        _ copy: ByteView, under master: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) -> Bool {
        let expected = try authentication(of: copy, HMAC(key: master.ringKey()), headerDigest)
        let offset = KeyringField.authentication.offset
        return Digest(copy.slice(offset, Digest.byteCount)).equals(expected)
    }

    private init?(whole copy: ByteView) {
        let count = Int(copy.load(UInt16.self, at: KeyringField.slotCount.offset))
        let flags = copy.load(UInt32.self, at: KeyringField.flags.offset)
        guard (1...Self.slotLimit).contains(count), flags <= 1 else { return nil }
        slots = []
        var offset = KeyringField.slots.offset
        for _ in 0..<count {
            let rest = copy.slice(offset, KeyringField.authentication.offset - offset)
            guard let slot = KeyringSlot(reading: rest) else { return nil }
            slots.append(slot)
            offset += slot.bytes.count
        }
        generation = copy.load(UInt64.self, at: KeyringField.generation.offset)
        firstEpoch = copy.load(UInt64.self, at: KeyringField.firstEpoch.offset)
        nextSlot = copy.load(UInt32.self, at: KeyringField.nextSlot.offset)
        guard flags == 1 else { return }
        handover = Handover(
            former: copy.slice(KeyringField.former.offset, KeyringField.former.byteCount).copied(),
            successor: copy.slice(KeyringField.successor.offset, KeyringField.successor.byteCount)
                .copied())
    }
}
