package import BullaMemory

/// The content of a keyring that opened.
package struct OpenedKeyring: ~Copyable {
    /// The table of the copy that was opened.
    package let table: KeyringTable
    /// The number of the slot that opened.
    package let slot: UInt32
    /// The index of the copy that was opened.
    package let copyIndex: Int
    /// Whether every copy opens, and all copies have the same generation.
    ///
    /// If not, a write of the keyring was cut short, or a copy is damaged: the caller should write
    /// the copies again.
    package internal(set) var copiesAgree = true
    private let master: MasterSecret
    private let former: MasterSecret?

    init(
        _ master: consuming MasterSecret, former: consuming MasterSecret?, table: KeyringTable,
        slot: UInt32, copyIndex: Int
    ) {
        self.master = master
        self.former = former
        self.table = table
        self.slot = slot
        self.copyIndex = copyIndex
    }

    package var generation: UInt64 { table.generation }

    /// Takes the secret, and drops the rest.
    package consuming func takeMaster() -> MasterSecret {
        master
    }

    /// Takes the secret, and also the former secret if the keyring still holds it.
    package consuming func takeSecrets() -> MasterSecrets {
        let epoch = table.firstEpoch
        if let former { return MasterSecrets(master, former: former, firstEpoch: epoch) }
        return MasterSecrets(master, firstEpoch: epoch)
    }
}

extension Keyring {
    /// Opens the newest copy that can be opened.
    ///
    /// - Parameters:
    ///   - copies: ``copyByteCount`` bytes each, or more.
    ///   - headerDigest: SHA-256 of the file's header, as it was read.
    /// - Throws: ``KeyringError/cipher(_:)``; and if no copy opens: what the opener throws,
    ///   ``KeyringError/wrongKey`` if a whole copy is under other keys, ``KeyringError/noSlot`` if
    ///   a whole copy has no slot to try, ``KeyringError/unsupportedVersion(_:)`` if a whole copy
    ///   has a layout that this version does not read, or ``KeyringError/damaged`` if no copy is
    ///   whole, or if the key fits a copy that was changed.
    package static func open(
        copies: [ByteView], userKey opener: some SlotOpener, fileIdentifier: FileIdentifier,
        headerDigest: Digest
    ) throws(KeyringError) -> OpenedKeyring {
        var search = KeyringSearch(opener, fileIdentifier, headerDigest)
        for (index, copy) in copies.enumerated() {
            // Copied, because shared memory can change between verifying and reading.
            try search.visit(copy.slice(0, copyByteCount).copied(), index)
        }
        return try search.result()
    }
}
