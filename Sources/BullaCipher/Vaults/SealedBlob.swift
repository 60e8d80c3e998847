package import BullaMemory

/// A view of one entity or field, sealed separately from all others.
///
/// It is bound to its vault, its epoch, and an identity: bytes that say where it belongs. Two blobs
/// of the same cleartext differ. A blob that was moved, changed or cut does not open. Without the
/// key it shows only its header (``BlobHeader``) and its padded length.
///
/// The layout is in the table of ``BlobField``.
package struct SealedBlob {
    package static let identityByteLimit = 1024
    /// Where the cleartext begins in the opened bytes.
    package static let cleartextOffset = BlobPadding.lengthByteCount
    /// Lengths of blobs have 32 bits.
    static let byteLimit = Int(UInt32.max)
    /// The longest cleartext whose blob stays within 4 GiB: the greatest padded length below 4 GiB
    /// is 4 GiB less 64 MiB.
    package static let cleartextByteLimit = 1 << 32 - 1 << 26 - BlobPadding.lengthByteCount

    /// What the blob claims about itself.
    package let header: BlobHeader
    private let bytes: ByteView

    /// The blob in `bytes`, unverified.
    ///
    /// - Parameter bytes: private to the caller until the blob has opened, because shared memory
    ///   can change while it is read.
    /// - Throws: ``CipherError/Code/unavailable`` for a version that this code does not know;
    ///   ``CipherError/Code/malformed`` if no blob has this length, or if a reserved byte is not
    ///   zero.
    package init(_ bytes: ByteView) throws(CipherError) {
        header = try BlobHeader(of: bytes)
        self.bytes = bytes
    }

    /// How many bytes the blob of a cleartext has.
    package static func sealedByteCount(cleartextByteCount: Int) -> Int {
        BlobField.extraByteCount
            + BlobPadding.paddedByteCount(BlobPadding.lengthByteCount + cleartextByteCount)
    }

    /// How much room opening the blob takes: its cleartext, with length and padding.
    package var plaintextByteCount: Int { bytes.byteCount - BlobField.extraByteCount }

    /// Seals a cleartext.
    ///
    /// - Parameters:
    ///   - cleartext: at most ``cleartextByteLimit`` bytes, which must not overlap `blob`.
    ///   - context: the vault, the epoch of `cipher`'s key, and where the blob will be.
    ///   - blob: as many bytes as ``sealedByteCount(cleartextByteCount:)`` says, private to the
    ///     caller, because they hold the cleartext while it is encrypted. Wiped if the call throws.
    /// - Throws: ``CipherError/Code/badArgument`` if the cleartext is too long; what
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
            // A cipher that has ended throws without wiping the blob.
            blob.wipe()
            throw error
        }
    }

    /// Opens the blob.
    ///
    /// - Parameters:
    ///   - context: the vault, the epoch of `cipher`'s key, and where the blob was found. It must
    ///     equal the context in which the blob was sealed.
    ///   - plaintext: as many bytes as ``plaintextByteCount`` says; wiped if the call throws.
    /// - Returns: the cleartext, which is a part of `plaintext`; the owner of `plaintext` wipes it
    ///   after use.
    /// - Throws: ``CipherError/Code/foreign`` if the blob names another vault or epoch; otherwise
    ///   ``CipherError/Code/badTag`` if any bit of the blob or its context differs;
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
