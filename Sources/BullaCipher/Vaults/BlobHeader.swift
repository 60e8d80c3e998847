internal import BullaMemory

/// What anybody can read in a blob without a key: only a claim, until the blob has opened.
package struct BlobHeader: Hashable, Sendable {
    static let version: UInt8 = 1
    static let byteCount = BlobField.nonce.offset

    package let vault: VaultIdentifier
    /// Which key of the vault seals the blob.
    package let epoch: UInt32

    package init(vault: VaultIdentifier, epoch: UInt32) {
        self.vault = vault
        self.epoch = epoch
    }

    /// The header of a blob, unverified.
    ///
    /// - Throws: what ``SealedBlob/init(_:)`` throws.
    init(of blob: ByteView) throws(CipherError) {
        guard blob.byteCount >= BlobField.extraByteCount + BlobPadding.step else {
            throw CipherError(.malformed)
        }
        guard blob.load(UInt8.self, at: BlobField.version.offset) == Self.version else {
            throw CipherError(.unavailable)
        }
        let plaintextByteCount = blob.byteCount - BlobField.extraByteCount
        guard blob.load(UInt8.self, at: BlobField.reserved.offset) == 0,
            blob.byteCount <= SealedBlob.byteLimit,
            BlobPadding.paddedByteCount(plaintextByteCount) == plaintextByteCount
        else { throw CipherError(.malformed) }
        epoch = blob.load(UInt32.self, at: BlobField.epoch.offset)
        vault = VaultIdentifier(
            blob.slice(BlobField.vault.offset, VaultIdentifier.byteCount))
    }

    /// Writes the header to the beginning of `view`.
    func store(in view: MutableByteView) {
        view.store(Self.version, at: BlobField.version.offset)
        view.store(UInt8(0), at: BlobField.reserved.offset)
        view.store(epoch, at: BlobField.epoch.offset)
        vault.store(in: view, at: BlobField.vault.offset)
    }
}
