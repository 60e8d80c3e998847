package import BullaMemory

/// What a keyring held.
package struct OpenedKeyring: ~Copyable {
    /// Of the copy that was opened.
    package let table: KeyringTable
    /// The number of the slot that opened.
    package let slot: UInt32
    /// Which of the copies that is.
    package let copyIndex: Int
    /// Whether every copy opens and is of that generation.
    ///
    /// If not, a change of the keyring or a write was cut short, or a copy is damaged: they should
    /// be written again.
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

    /// The secret, which leaves the rest behind.
    package consuming func takeMaster() -> MasterSecret {
        master
    }

    /// The secret, and the one that it replaces as long as pages lie under that.
    package consuming func takeSecrets() -> MasterSecrets {
        let epoch = table.firstEpoch
        if let former { return MasterSecrets(master, former: former, firstEpoch: epoch) }
        return MasterSecrets(master, firstEpoch: epoch)
    }
}

extension Keyring {
    /// Opens the newest copy that opens.
    ///
    /// - Parameters:
    ///   - copies: ``copyByteCount`` bytes each, or more.
    ///   - headerDigest: SHA-256 of the file's header, as it was read.
    /// - Throws: ``KeyringError/wrongKey`` when a whole copy is under other keys,
    ///   ``KeyringError/noSlot`` when it has no slot to try, ``KeyringError/damaged`` when none is
    ///   whole or one is ours and was changed; what the opener throws.
    package static func open(
        copies: [ByteView], userKey opener: some SlotOpener, fileIdentifier: FileIdentifier,
        headerDigest: Digest
    ) throws(KeyringError) -> OpenedKeyring {
        var search = KeyringSearch(opener, fileIdentifier, headerDigest)
        for (index, copy) in copies.enumerated() {
            // Copied: shared memory may change between verifying and reading.
            try search.visit(copy.slice(0, copyByteCount).copied(), index)
        }
        return try search.result()
    }
}
