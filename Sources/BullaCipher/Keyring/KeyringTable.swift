internal import BullaMemory

/// The content of one copy of a keyring: its slots, and the first key epoch of its master secret.
///
/// A table read from a file is only a claim, until ``isAuthentic(_:under:headerDigest:)`` has
/// checked it with the secret from one of its slots.
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
    /// The former secret and the master secret, each sealed under the other; `nil` if the store has
    /// no page that is sealed under a former secret's keys.
    var handover: Handover?

    /// A keyring for a new secret, without a slot.
    package init(firstEpoch: UInt64 = 1) {
        (slots, generation, nextSlot) = ([], 1, 1)
        self.firstEpoch = firstEpoch
    }

    /// Whether the store may have pages that are still sealed under the keys of a former secret.
    package var hasFormer: Bool { handover != nil }

    /// Begins the next epoch of a vault, whose secret stays the same.
    package mutating func beginEpoch() { firstEpoch += 1 }

    /// A keyring for another secret, without a slot; it keeps this keyring's generation and next
    /// slot number.
    package func renewed(firstEpoch: UInt64) -> KeyringTable {
        var table = KeyringTable(firstEpoch: firstEpoch)
        table.generation = generation
        table.nextSlot = nextSlot
        return table
    }

    /// Adds a slot that holds `master` under `key`.
    ///
    /// - Parameters:
    ///   - number: the number that the slot had in a former keyring; `nil` for the next number.
    /// - Returns: the slot's number.
    /// - Throws: `badArgument` if there are eight slots already, or no room for the new one's
    ///   bytes, or no number left.
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

    /// Replaces a slot by one that holds `master` under `key`, and keeps its number.
    ///
    /// - Throws: `badArgument` if there is no such slot, or no room for its bytes.
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

    /// Removes a slot, if it exists.
    package mutating func remove(_ number: UInt32) {
        slots.removeAll { $0.number == number }
    }

    /// One copy, ``Keyring/copyByteCount`` bytes, in which no secret is readable.
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

    /// Writes everything but the authentication and the checksum.
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
