package import BullaMemory

/// What a keyring held.
package struct OpenedKeyring: ~Copyable {
    /// Of the copy that was opened.
    package let generation: UInt64
    /// Which of the copies that is.
    package let copyIndex: Int
    /// Whether every copy opens and is of that generation.
    ///
    /// If not, a change of the key or a write was cut short, or a copy is damaged: they should be
    /// written again.
    package let copiesAgree: Bool
    private let master: MasterSecret

    init(
        _ master: consuming MasterSecret, generation: UInt64, copyIndex: Int, copiesAgree: Bool
    ) {
        self.master = master
        self.generation = generation
        self.copyIndex = copyIndex
        self.copiesAgree = copiesAgree
    }

    /// The secret, which leaves the rest behind.
    package consuming func takeMaster() -> MasterSecret {
        master
    }
}

extension Keyring {
    /// Opens the newest copy that opens.
    ///
    /// - Parameters:
    ///   - copies: ``copyByteCount`` bytes each, or more.
    ///   - headerDigest: SHA-256 of the file's header, as it was read.
    /// - Throws: ``KeyringError/wrongKey`` when a whole copy is under another key,
    ///   ``KeyringError/damaged`` when none is whole or one is ours and was changed.
    package static func open(
        copies: [ByteView], userKey: borrowing UserKey, fileIdentifier: FileIdentifier,
        headerDigest: Digest
    ) throws(KeyringError) -> OpenedKeyring {
        let found: KeyringSearch
        do throws(CipherError) {
            let keys = try KeyringKeys(
                userKey, fileIdentifier: fileIdentifier, headerDigest: headerDigest)
            var search = KeyringSearch()
            for (index, copy) in copies.enumerated() {
                try search.visit(KeyringCopy(reading: copy), index, with: keys)
            }
            found = search
        } catch {
            throw .cipher(error)
        }
        return try found.result()
    }

    /// The generation that a copy claims, or nothing where the copy is damaged.
    ///
    /// Its checksum needs no key: whoever can write to the file can have written it.
    package static func generation(of copy: ByteView) throws(CipherError) -> UInt64? {
        try KeyringCopy(reading: copy).claimedGeneration()
    }
}
