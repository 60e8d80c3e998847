package import BullaMemory

/// One entity or field, sealed by itself, where its bytes lie.
///
/// It is bound to its vault, its epoch, and an identity: the bytes that say where it stands. Two
/// blobs of the same cleartext differ; one that was moved, changed or cut does not open. What it
/// tells without the key is its header (``BlobHeader``) and its padded length.
///
/// The layout is the table of ``BlobField``.
package struct SealedBlob {
    package static let identityByteLimit = 1024
    /// Where the cleartext lies in what is opened.
    package static let cleartextOffset = BlobPadding.lengthByteCount
    /// Blobs are counted in 32 bits.
    static let byteLimit = Int(UInt32.max)
    /// The longest cleartext whose blob is within 4 GiB: the last padded count there is 64 MiB
    /// less.
    package static let cleartextByteLimit = 1 << 32 - 1 << 26 - BlobPadding.lengthByteCount

    /// What the blob claims of itself.
    package let header: BlobHeader
    private let bytes: ByteView

    /// The blob that lies in `bytes`, which nobody need have vouched for yet.
    ///
    /// - Parameter bytes: private to the caller until the blob has opened: shared memory may change
    ///   while it is read.
    /// - Throws: ``CipherError/Code/unavailable`` for another version,
    ///   ``CipherError/Code/malformed`` when the bytes have a count that no blob has, or a reserved
    ///   byte that is not zero.
    package init(_ bytes: ByteView) throws(CipherError) {
        header = try BlobHeader(of: bytes)
        self.bytes = bytes
    }

    /// How many bytes the blob of a cleartext has.
    package static func sealedByteCount(cleartextByteCount: Int) -> Int {
        BlobField.extraByteCount
            + BlobPadding.paddedByteCount(BlobPadding.lengthByteCount + cleartextByteCount)
    }

    /// How much room the blob needs to be opened into: its cleartext, with length and padding.
    package var plaintextByteCount: Int { bytes.byteCount - BlobField.extraByteCount }

    /// Seals a cleartext.
    ///
    /// - Parameters:
    ///   - cleartext: at most ``cleartextByteLimit`` bytes, elsewhere than `blob`.
    ///   - context: the vault, the epoch of `cipher`'s key, and where the blob will stand.
    ///   - blob: as many bytes as ``sealedByteCount(cleartextByteCount:)`` says, private to the
    ///     caller: the cleartext lies there while it is encrypted. Wiped when the call throws.
    /// - Throws: ``CipherError/Code/badArgument`` when the cleartext is too long; what
    ///   ``VaultCipher/seal(_:context:into:)`` throws.
    /// - Complexity: two passes over the bytes; no allocation.
    package static func seal(
        _ cleartext: ByteView, in context: BlobContext, with cipher: VaultCipher,
        into blob: MutableByteView
    ) throws(CipherError) {
        guard cleartext.byteCount <= cleartextByteLimit else { throw CipherError(.badArgument) }
        precondition(
            blob.byteCount == sealedByteCount(cleartextByteCount: cleartext.byteCount),
            "the blob fits")
        let sealed = blob.slice(BlobHeader.byteCount, blob.byteCount - BlobHeader.byteCount)
        let plaintext = blob.slice(
            BlobField.ciphertext.offset, blob.byteCount - BlobField.extraByteCount)
        context.header.store(in: blob)
        BlobPadding.pad(cleartext, into: plaintext)
        do throws(CipherError) {
            try cipher.seal(plaintext.view, context: context.view, into: sealed)
        } catch {
            // A cipher that has ended has not come so far as to wipe it.
            blob.wipe()
            throw error
        }
    }

    /// Opens the blob.
    ///
    /// - Parameters:
    ///   - context: the vault, the epoch of `cipher`'s key, and where the blob was found. It must
    ///     equal what the blob was sealed in.
    ///   - plaintext: as many bytes as ``plaintextByteCount`` says; wiped when the call throws.
    /// - Returns: the cleartext, a part of `plaintext`, which its owner wipes after use.
    /// - Throws: ``CipherError/Code/foreign`` when the blob says another vault or epoch;
    ///   ``CipherError/Code/badTag`` when any bit of the above differs otherwise;
    ///   ``CipherError/Code/malformed`` for a plaintext that no writer seals;
    ///   ``CipherError/Code/memory`` once the cipher has ended.
    /// - Complexity: one pass over the bytes; no allocation.
    package func open(
        in context: BlobContext, with cipher: VaultCipher, into plaintext: MutableByteView
    ) throws(CipherError) -> ByteView {
        precondition(plaintext.byteCount == plaintextByteCount, "the plaintext fits")
        do throws(CipherError) {
            guard context.header == header else { throw CipherError(.foreign) }
            let sealed = bytes.slice(BlobHeader.byteCount, bytes.byteCount - BlobHeader.byteCount)
            try cipher.open(sealed, context: context.view, into: plaintext)
            return try BlobPadding.cleartext(in: plaintext.view)
        } catch {
            plaintext.wipe()
            throw error
        }
    }
}
