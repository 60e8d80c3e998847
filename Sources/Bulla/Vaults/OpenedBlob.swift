internal import BullaCipher
internal import BullaMemory

/// The cleartext of a blob, in locked memory that is wiped when this is destroyed.
struct OpenedBlob: ~Copyable, Sendable {
    private let plaintext: SecretBytes
    let byteCount: Int

    init(
        _ blob: SealedBlob, _ context: BlobContext, _ cipher: VaultCipher, _ budget: SecretBudget
    ) throws(CipherError) {
        var plaintext = try SecretBytes.zeroed(byteCount: blob.plaintextByteCount, budget: budget)
        byteCount = try plaintext.withMutableView { plaintext throws(CipherError) in
            try blob.open(in: context, with: cipher, into: plaintext).byteCount
        }
        self.plaintext = plaintext
    }

    /// Lends the cleartext.
    borrowing func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        try plaintext.withView { view throws(E) in
            try body(view.slice(SealedBlob.cleartextOffset, byteCount))
        }
    }
}
