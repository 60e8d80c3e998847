internal import BullaCipher
internal import BullaMemory

/// The cleartext of a blob, in locked memory, wiped when it goes away.
final class OpenedBlob: Sendable {
    private let plaintext: SecretBytes
    let byteCount: Int

    init(
        _ blob: ByteView, _ identity: [UInt8], _ header: BlobHeader, _ cipher: VaultCipher,
        _ budget: SecretBudget
    ) throws(CipherError) {
        // Copied: a blob may lie where others write, and must not change while it is read.
        let count = try SealedBlob.plaintextByteCount(of: blob)
        var plaintext = try SecretBytes.zeroed(byteCount: count, budget: budget)
        let own = blob.copied()
        byteCount = try plaintext.withMutableView { plaintext throws(CipherError) in
            try own.withView { own throws(CipherError) in
                try identity.withView { identity throws(CipherError) in
                    try SealedBlob.open(
                        own, for: identity, header: header, with: cipher, into: plaintext
                    ).byteCount
                }
            }
        }
        self.plaintext = plaintext
    }

    /// Lends the cleartext.
    func withView<R, E: Error>(_ body: (ByteView) throws(E) -> R) throws(E) -> R {
        try plaintext.withView { view throws(E) in
            try body(view.slice(SealedBlob.cleartextOffset, byteCount))
        }
    }
}
