package import BullaMemory
internal import CBullaCipher

/// Seals and opens small records, such as the keyring's secret, with AES-256-GCM.
///
///     offset  bytes  field
///          0     12  nonce        random
///         12      n  ciphertext
///     12 + n     16  tag
///
/// One key can seal 2^32 records (NIST SP 800-38D, section 8.3).
package enum RecordSeal {
    /// How many bytes sealing adds to a record.
    package static let extraByteCount = 28
    package static let recordByteLimit = 1024

    /// Seals one record.
    ///
    /// - Parameters:
    ///   - record: `n` bytes, at most ``recordByteLimit``.
    ///   - key: 32 bytes.
    ///   - context: authenticated, not encrypted; at most ``recordByteLimit``.
    ///   - sealed: `n + 28` bytes, which must not overlap `record`.
    package static func seal(
        _ record: ByteView, key: borrowing SecretBytes, context: ByteView,
        into sealed: MutableByteView
    ) throws(CipherError) {
        try key.checkIntact()
        precondition(sealed.byteCount == record.byteCount + extraByteCount, "the record fits")
        precondition(key.byteCount == BULLA_KEY_BYTES, "a key has 32 bytes")
        try key.withView { key throws(CipherError) in
            // SAFETY: every view is valid for its count, and the counts fit, as checked above.
            try CipherError.check(
                unsafe bulla_record_seal(
                    key.base, context.base, context.byteCount,
                    record.base, record.byteCount, sealed.base))
        }
    }

    /// Opens one record.
    ///
    /// - Parameters:
    ///   - sealed: `n + 28` bytes, private to the caller, because shared memory can change while it
    ///     is read.
    ///   - key: 32 bytes.
    ///   - context: what the record was sealed with.
    ///   - record: `n` bytes; zeroed if the call throws.
    /// - Throws: ``CipherError/Code/badTag`` if any bit of `sealed`, the key or the context
    ///   differs.
    package static func open(
        _ sealed: ByteView, key: borrowing SecretBytes, context: ByteView,
        into record: MutableByteView
    ) throws(CipherError) {
        try key.checkIntact()
        precondition(sealed.byteCount == record.byteCount + extraByteCount, "the record fits")
        precondition(key.byteCount == BULLA_KEY_BYTES, "a key has 32 bytes")
        try key.withView { key throws(CipherError) in
            // SAFETY: every view is valid for its count, and the counts fit, as checked above.
            try CipherError.check(
                unsafe bulla_record_open(
                    key.base, context.base, context.byteCount,
                    sealed.base, sealed.byteCount, record.base))
        }
    }
}
