internal import BullaMemory

/// A keyring as it stands in one copy: its slots, and where its secret takes over from another.
///
/// Read from a file it is a claim, until ``isAuthentic(_:under:headerDigest:)`` was asked with
/// the secret that one of its slots gave.
package struct KeyringTable: Sendable {
    static let magic: UInt64 = 0x5945_4b41_4c4c_5542  // "BULLAKEY", little-endian
    static let layoutVersion: UInt16 = 2
    package static let slotLimit = 8

    package internal(set) var slots: [KeyringSlot]
    /// Counts changes of the keyring.
    package var generation: UInt64
    /// The first key epoch under the master secret.
    package internal(set) var firstEpoch: UInt64
    var nextSlot: UInt32
    /// As long as pages may lie under the secret before this one.
    var handover: Handover?

    /// A keyring of a new secret, without a slot.
    package init(firstEpoch: UInt64 = 1) {
        (slots, generation, nextSlot) = ([], 1, 1)
        self.firstEpoch = firstEpoch
    }

    /// Whether pages may lie under a former secret.
    package var hasFormer: Bool { handover != nil }

    /// Begins an epoch of a vault, whose secret stays.
    package mutating func beginEpoch() { firstEpoch += 1 }

    /// A keyring of another secret, without a slot, whose numbers go on from this one's.
    package func renewed(firstEpoch: UInt64) -> KeyringTable {
        var table = KeyringTable(firstEpoch: firstEpoch)
        table.generation = generation
        table.nextSlot = nextSlot
        return table
    }

    /// Adds a slot that holds `master` under `key`.
    ///
    /// - Parameters:
    ///   - number: of a slot that a keyring before this one had; `nil` gives it the next.
    /// - Returns: its number.
    /// - Throws: `badArgument` where there are eight, or where its bytes do not fit the others'.
    package mutating func add(
        _ form: KeyringSlot.Form, number: UInt32? = nil, _ master: borrowing MasterSecret,
        under key: UserKey, headerDigest: Digest
    ) throws(CipherError) -> UInt32 {
        let slot = try KeyringSlot(
            form, number: number ?? nextSlot, master, under: key, headerDigest: headerDigest)
        let used = slots.reduce(0) { $0 + $1.bytes.count }
        guard slots.count < Self.slotLimit, nextSlot < UInt32.max,
            used + slot.bytes.count <= KeyringField.slots.byteCount
        else { throw CipherError(.badArgument) }
        slots.append(slot)
        if number == nil { nextSlot += 1 }
        return slot.number
    }

    /// Puts a slot that holds `master` under `key` in the place of another, under its number.
    ///
    /// - Throws: `badArgument` where it is not there, or where its bytes do not fit the others'.
    package mutating func replace(
        _ number: UInt32, _ form: KeyringSlot.Form, _ master: borrowing MasterSecret,
        under key: UserKey, headerDigest: Digest
    ) throws(CipherError) {
        guard let index = slots.firstIndex(where: { $0.number == number }) else {
            throw CipherError(.badArgument)
        }
        let slot = try KeyringSlot(
            form, number: number, master, under: key, headerDigest: headerDigest)
        let used = slots.reduce(0) { $0 + $1.bytes.count } - slots[index].bytes.count
        guard used + slot.bytes.count <= KeyringField.slots.byteCount else {
            throw CipherError(.badArgument)
        }
        slots[index] = slot
    }

    /// Takes a slot away, if it is there.
    package mutating func remove(_ number: UInt32) {
        slots.removeAll { $0.number == number }
    }

    /// One copy, ``Keyring/copyByteCount`` bytes, in which nothing secret is readable.
    package func bytes(
        under master: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) -> [UInt8] {
        let hmac = try HMAC(key: master.ringKey())
        return try [UInt8](byteCount: Keyring.copyByteCount) { copy throws(CipherError) in
            write(to: copy)
            try Self.authentication(of: copy.view, hmac, headerDigest)
                .store(in: copy, at: KeyringField.authentication.offset)
            try KeyDerivation.sha256(copy.view.slice(0, KeyringField.checksum.offset))
                .store(in: copy, at: KeyringField.checksum.offset)
        }
    }

    /// Everything but the authentication and the checksum.
    private func write(to copy: MutableByteView) {
        copy.store(Self.magic, at: KeyringField.magic.offset)
        copy.store(Self.layoutVersion, at: KeyringField.layoutVersion.offset)
        copy.store(UInt16(slots.count), at: KeyringField.slotCount.offset)
        copy.store(UInt32(hasFormer ? 1 : 0), at: KeyringField.flags.offset)
        copy.store(nextSlot, at: KeyringField.nextSlot.offset)
        copy.store(generation, at: KeyringField.generation.offset)
        copy.store(firstEpoch, at: KeyringField.firstEpoch.offset)
        handover?.former.withView { copy.copy($0, to: KeyringField.former.offset) }
        handover?.successor.withView { copy.copy($0, to: KeyringField.successor.offset) }
        var offset = KeyringField.slots.offset
        for slot in slots {
            slot.bytes.withView { copy.copy($0, to: offset) }
            offset += slot.bytes.count
        }
    }

    static func authentication(
        of copy: ByteView, _ hmac: HMAC, _ headerDigest: Digest
    ) throws(CipherError) -> Digest {
        try headerDigest.bytes.withView { header throws(CipherError) in
            try hmac.digest(of: [header, copy.slice(0, KeyringField.authentication.offset)])
        }
    }
}
