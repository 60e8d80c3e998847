package import BullaMemory

/// The master secret as it is stored in the file: in two copies (``KeyringField``), under one or
/// more keys.
///
/// The commitment of each slot tells apart two failures: a wrong half of the key, and a damaged
/// keyring. A change writes both copies under the next generation, one after the other. So a crash
/// between the two writes leaves one old copy and one new copy.
package enum Keyring {
    /// How many bytes a copy has.
    package static let copyByteCount = KeyringField.totalByteCount

    /// One copy of a keyring with one slot: `master` under `userKey`.
    ///
    /// - Parameters:
    ///   - headerDigest: SHA-256 of the file's header.
    ///   - generation: greater than the generation of the copies that this copy replaces.
    package static func seal(
        _ master: borrowing MasterSecret, userKey: UserKey, headerDigest: Digest,
        generation: UInt64
    ) throws(CipherError) -> [UInt8] {
        var table = KeyringTable()
        table.generation = generation
        _ = try table.add(
            KeyringSlot.Form(.key), master, under: userKey, headerDigest: headerDigest)
        return try table.bytes(under: master, headerDigest: headerDigest)
    }

    /// The generation that a copy claims; `nil` if the copy is damaged or has another layout.
    ///
    /// A copy's checksum needs no key, so anybody with access to the file could have written the
    /// copy.
    package static func generation(of copy: ByteView) throws(CipherError) -> UInt64? {
        try table(of: copy)?.generation
    }

    /// The table that a copy claims; `nil` if the copy is damaged or has another layout.
    package static func table(of copy: ByteView) throws(CipherError) -> KeyringTable? {
        try table(ofBytes: copy.slice(0, copyByteCount).copied())
    }

    /// The table that a copy claims; `nil` if the copy is damaged or has another layout.
    package static func table(ofBytes copy: [UInt8]) throws(CipherError) -> KeyringTable? {
        if case .table(let table) = try KeyringTable.read(copy) { return table }
        return nil
    }

    /// The table of a copy; `nil` unless a holder of the master secret wrote it for this header.
    package static func table(
        of copy: ByteView, under master: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) -> KeyringTable? {
        try table(
            ofBytes: copy.slice(0, copyByteCount).copied(), under: master,
            headerDigest: headerDigest)
    }

    /// The table of a copy; `nil` unless a holder of the master secret wrote it for this header.
    package static func table(
        ofBytes bytes: [UInt8], under master: borrowing MasterSecret, headerDigest: Digest
    ) throws(CipherError) -> KeyringTable? {
        guard case .table(let table) = try KeyringTable.read(bytes) else { return nil }
        let isAuthentic = try bytes.withView { view throws(CipherError) in
            try KeyringTable.isAuthentic(view, under: master, headerDigest: headerDigest)
        }
        return isAuthentic ? table : nil
    }
}

extension KeyringTable {
    static func read(_ copy: [UInt8]) throws(CipherError) -> Reading {
        try copy.withView { view throws(CipherError) in try read(view) }
    }
}
