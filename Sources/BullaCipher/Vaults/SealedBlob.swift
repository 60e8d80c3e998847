package import BullaMemory

/// One entity or field, sealed by itself.
///
/// It is bound to its vault, its epoch, and an identity: the bytes that say where it stands. Two
/// blobs of the same cleartext differ; one that was moved, changed or cut does not open. What it
/// tells without the key is its header (``BlobHeader``) and its padded length.
///
/// The layout is the table of ``BlobField``.
package enum SealedBlob {
    package static let identityByteLimit = 1024
    /// Where the cleartext lies in what is opened.
    package static let cleartextOffset = BlobPadding.lengthByteCount
    /// Blobs are counted in 32 bits.
    static let byteLimit = Int(UInt32.max)
    /// The longest cleartext whose blob is within 4 GiB: the last padded count there is 64 MiB
    /// less.
    package static let cleartextByteLimit = 1 << 32 - 1 << 26 - BlobPadding.lengthByteCount

    /// What a blob has more than its padded plaintext.
    package static let extraByteCount = BlobField.extraByteCount

    /// How many bytes the blob of a cleartext has.
    package static func sealedByteCount(cleartextByteCount: Int) -> Int {
        BlobField.extraByteCount
            + BlobPadding.paddedByteCount(BlobPadding.lengthByteCount + cleartextByteCount)
    }

    /// How much room a blob needs to be opened into: its cleartext, with length and padding.
    ///
    /// - Throws: what ``BlobHeader/init(of:)`` throws.
    package static func plaintextByteCount(of blob: ByteView) throws(CipherError) -> Int {
        _ = try BlobHeader(of: blob)
        return blob.byteCount - extraByteCount
    }

    /// Seals a cleartext.
    ///
    /// - Parameters:
    ///   - cleartext: at most ``cleartextByteLimit`` bytes, elsewhere than `blob`.
    ///   - identity: where the blob will stand; at most ``identityByteLimit`` bytes, not kept in
    ///     it. The caller sees to it that no two places give the same.
    ///   - header: the vault, and the epoch of `cipher`'s key.
    ///   - blob: as many bytes as ``sealedByteCount(cleartextByteCount:)`` says, private to the
    ///     caller: the cleartext lies there while it is encrypted. Wiped when the call throws.
    /// - Throws: ``CipherError/Code/badArgument`` when something is too long; what
    ///   ``VaultCipher/seal(_:context:into:)`` throws.
    /// - Complexity: two passes over the bytes; no allocation.
    package static func seal(
        _ cleartext: ByteView, for identity: ByteView, header: BlobHeader,
        with cipher: VaultCipher, into blob: MutableByteView
    ) throws(CipherError) {
        guard cleartext.byteCount <= cleartextByteLimit, identity.byteCount <= identityByteLimit
        else { throw CipherError(.badArgument) }
        precondition(
            blob.byteCount == sealedByteCount(cleartextByteCount: cleartext.byteCount),
            "the blob fits")
        let plaintextByteCount = blob.byteCount - BlobField.extraByteCount
        let plaintext = blob.slice(BlobField.ciphertext.offset, plaintextByteCount)
        header.store(in: blob)
        BlobPadding.pad(cleartext, into: plaintext)
        do throws(CipherError) {
            try header.withContext(for: identity) { context throws(CipherError) in
                try cipher.seal(plaintext.view, context: context, into: sealedPart(of: blob))
            }
        } catch {
            // A cipher that has ended has not come so far as to wipe it.
            blob.wipe()
            throw error
        }
    }

    /// Opens a blob.
    ///
    /// - Parameters:
    ///   - blob: private to the caller: shared memory may change while it is read.
    ///   - identity: where the blob was found. It must equal where it was sealed for.
    ///   - header: the vault, and the epoch of `cipher`'s key.
    ///   - plaintext: as many bytes as ``plaintextByteCount(of:)`` says; wiped when the call
    ///     throws.
    /// - Returns: the cleartext, a part of `plaintext`, which its owner wipes after use.
    /// - Throws: ``CipherError/Code/foreign`` when the blob says another vault or epoch;
    ///   ``CipherError/Code/badTag`` when any bit of the above differs otherwise; what
    ///   ``BlobHeader/init(of:)`` throws; ``CipherError/Code/malformed`` for a plaintext that no
    ///   writer seals; ``CipherError/Code/memory`` once the cipher has ended.
    /// - Complexity: one pass over the bytes; no allocation.
    package static func open(
        _ blob: ByteView, for identity: ByteView, header: BlobHeader,
        with cipher: VaultCipher, into plaintext: MutableByteView
    ) throws(CipherError) -> ByteView {
        do throws(CipherError) {
            guard try BlobHeader(of: blob) == header else { throw CipherError(.foreign) }
            guard identity.byteCount <= identityByteLimit else { throw CipherError(.badArgument) }
            precondition(
                plaintext.byteCount == blob.byteCount - BlobField.extraByteCount,
                "the plaintext fits")
            let sealed = blob.slice(BlobHeader.byteCount, blob.byteCount - BlobHeader.byteCount)
            try header.withContext(for: identity) { context throws(CipherError) in
                try cipher.open(sealed, context: context, into: plaintext)
            }
            return try BlobPadding.cleartext(in: plaintext.view)
        } catch {
            plaintext.wipe()
            throw error
        }
    }

    /// What the cipher sees: nonce, ciphertext, tag.
    private static func sealedPart(of blob: MutableByteView) -> MutableByteView {
        blob.slice(BlobHeader.byteCount, blob.byteCount - BlobHeader.byteCount)
    }
}
