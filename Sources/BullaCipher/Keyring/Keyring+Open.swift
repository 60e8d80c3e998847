package import BullaMemory

/// What a keyring held.
package struct OpenedKeyring: ~Copyable {
    /// The table of the copy that was opened.
    package let table: KeyringTable
    /// The number of the slot that opened.
    package let slot: UInt32
    /// The index of the copy that was opened.
    package let copyIndex: Int
    /// Whether every copy opens, and has this generation.
    ///
    /// If not, a change or a write of the keyring was cut short, or a copy is damaged: the copies
    /// should be written again.
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

    /// The secret; the rest is dropped.
    package consuming func takeMaster() -> MasterSecret {
        master
    }

    /// The secret, and the one that it replaces, for as long as pages lie under that.
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
    /// - Throws: ``KeyringError/wrongKey`` if a whole copy is under other keys,
    ///   ``KeyringError/noSlot`` if it has no slot to try, ``KeyringError/damaged`` if no copy is
    ///   whole or one is ours and was changed; what the opener throws.
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
