package import BullaMemory

/// Seals and opens single entities and fields under one key of a vault: XAES-256-GCM.
///
/// Any number of threads may call at once.
///
///     offset  bytes  field
///          0     24  nonce        random
///         24      n  ciphertext
///     24 + n     16  tag
///
/// A nonce of 192 random bits lets one key seal 2^80 entities or fields. The 96 bits of plain GCM
/// allow only 2^32. Nonces come from the kernel, 64 at a time. A forked child never uses what its
/// parent drew. A nonce is used only within the tick of the kernel's clock (at most 10 ms) in which
/// it was drawn. A machine that is saved within such a tick and restored twice can use some nonces
/// twice.
///
/// The cipher does not commit to its key: an attacker can make bytes that open under two keys. The
/// commitment is in the slot that the key comes from.
///
/// The key is kept in ``SecretBytes``, and in expanded form in contexts of libcrypto, which are
/// wiped when the cipher ends or is deallocated.
///
/// - Source: C2SP, XAES-256-GCM; NIST SP 800-38D, SP 800-38B and SP 800-108r1.
package final class VaultCipher: Sendable {
    package static let keyByteCount = 32
    /// How many bytes sealing adds to a cleartext.
    package static let extraByteCount = 40
    package static let contextByteLimit = 2048
    /// Lengths of sealed bytes have 32 bits.
    package static let cleartextByteLimit = Int(UInt32.max) - extraByteCount

    private let pool: ContextPool<VaultRecipe>

    /// A cipher for one key; it keeps a copy of the key.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    /// - Throws: ``CipherError/Code/badArgument`` unless there are 32 bytes;
    ///   ``CipherError/Code/unavailable`` if libcrypto lacks AES-256 on single blocks.
    package init(key: borrowing SecretBytes) throws(CipherError) {
        guard key.byteCount == Self.keyByteCount else { throw CipherError(.badArgument) }
        guard key.isIntact else { throw CipherError(.memory) }
        pool = try ContextPool(VaultRecipe(key: try key.copied()))
    }

    /// Seals `n` bytes.
    ///
    /// - Parameters:
    ///   - cleartext: at most ``cleartextByteLimit`` bytes. It can lie where the ciphertext goes,
    ///     but must not overlap `sealed` in any other way.
    ///   - context: authenticated, not encrypted; at most ``contextByteLimit`` bytes.
    ///   - sealed: `n + 40` bytes, private to the caller.
    /// - Throws: ``CipherError/Code/badArgument`` if something is too long,
    ///   ``CipherError/Code/memory`` once the cipher has ended, ``CipherError/Code/random``,
    ///   ``CipherError/Code/library``. Then the sealed view must not be used.
    /// - Complexity: one pass over the bytes, and one AES key setup; no allocation; one system call
    ///   for up to 64 seals.
    package func seal(
        _ cleartext: ByteView, context: ByteView, into sealed: MutableByteView
    ) throws(CipherError) {
        precondition(
            sealed.byteCount == cleartext.byteCount + Self.extraByteCount, "the cleartext fits")
        try pool.withContext { cipher throws(CipherError) in
            try cipher.seal(cleartext, context: context, into: sealed)
        }
    }

    /// Opens what ``seal(_:context:into:)`` sealed.
    ///
    /// - Parameters:
    ///   - sealed: `n + 40` bytes, private to the caller, because shared memory can change while it
    ///     is read.
    ///   - context: what it was sealed with.
    ///   - cleartext: `n` bytes; zeroed if libcrypto refuses. It can lie where the ciphertext does,
    ///     but must not overlap `sealed` in any other way.
    /// - Throws: ``CipherError/Code/badTag`` if any bit of `sealed`, the context or the key
    ///   differs; ``CipherError/Code/memory`` once the cipher has ended.
    /// - Complexity: as ``seal(_:context:into:)``, without the system call.
    package func open(
        _ sealed: ByteView, context: ByteView, into cleartext: MutableByteView
    ) throws(CipherError) {
        precondition(
            sealed.byteCount == cleartext.byteCount + Self.extraByteCount, "the cleartext fits")
        try pool.withContext { cipher throws(CipherError) in
            try cipher.open(sealed, context: context, into: cleartext)
        }
    }

    /// Wipes the key and every context, even if the cipher is still in use.
    ///
    /// A call that is running ends as usual, and then its context is wiped. From now on sealing and
    /// opening throw ``CipherError/Code/memory``.
    package func end() { pool.end() }
}
