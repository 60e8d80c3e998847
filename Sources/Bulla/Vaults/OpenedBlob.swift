internal import BullaCipher
internal import BullaMemory

/// The cleartext of a blob, in locked memory, wiped when it goes away.
struct OpenedBlob: ~Copyable, Sendable {
    private let plaintext: SecretBytes
    let byteCount: Int

    /// - Parameters:
    ///   - blob: private to the caller: it must not change while it is read.
    ///   - header: the blob's.
    init(
        _ blob: ByteView, _ place: SealedPlace, _ header: BlobHeader, _ cipher: VaultCipher,
        _ budget: SecretBudget
    ) throws(CipherError) {
        let count = blob.byteCount - SealedBlob.extraByteCount
        var plaintext = try SecretBytes.zeroed(byteCount: count, budget: budget)
        byteCount = try plaintext.withMutableView { plaintext throws(CipherError) in
            try place.withBytes { identity throws(CipherError) in
                try SealedBlob.open(
                    blob, for: identity, header: header, with: cipher, into: plaintext
                ).byteCount
            }
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
