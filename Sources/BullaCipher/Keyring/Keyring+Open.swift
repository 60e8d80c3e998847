package import BullaMemory

/// What a keyring held.
package struct OpenedKeyring: ~Copyable {
    /// Of the copy that was opened.
    package let generation: UInt64
    /// Whether every copy opens and is of that generation.
    ///
    /// If not, a change of the key or a write was cut short, or a copy is damaged: they should be
    /// written again.
    package let copiesAgree: Bool
    private let master: MasterSecret

    init(_ master: consuming MasterSecret, generation: UInt64, copiesAgree: Bool) {
        self.master = master
        self.generation = generation
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
            for copy in copies { try search.visit(KeyringCopy(reading: copy), with: keys) }
            found = search
        } catch {
            throw .cipher(error)
        }
        return try found.result()
    }
}
