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
/// A nonce of 192 random bits lets one key seal 2^80 of them, where plain GCM's 96 bits end at
/// 2^32. Nonces come from the kernel, 64 at a draw; no forked child uses what its parent drew, and
/// none is kept for longer than a tick of the kernel's clock (at most 10 ms). A machine that is
/// saved inside such a tick and restored twice may use some twice.
///
/// It does not commit to its key: bytes can be made that open under two keys. The commitment of a
/// key is its slot's.
///
/// The key lives in ``SecretBytes`` here, and expanded in contexts of libcrypto, which are wiped
/// when the cipher ends or goes away.
///
/// - Source: C2SP, XAES-256-GCM; NIST SP 800-38D, SP 800-38B and SP 800-108r1.
package final class VaultCipher: Sendable {
    package static let keyByteCount = 32
    /// What sealed bytes have more than the cleartext.
    package static let extraByteCount = 40
    package static let contextByteLimit = 2048
    /// Sealed bytes are counted in 32 bits.
    package static let cleartextByteLimit = Int(UInt32.max) - extraByteCount

    private let pool: ContextPool<VaultRecipe>

    /// A cipher for one key, of which it keeps a copy.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    /// - Throws: ``CipherError/Code/badArgument`` when there are not 32 of them;
    ///   ``CipherError/Code/unavailable`` when libcrypto has no AES-256 of single blocks.
    package init(key: borrowing SecretBytes) throws(CipherError) {
        guard key.byteCount == Self.keyByteCount else { throw CipherError(.badArgument) }
        guard key.isIntact else { throw CipherError(.memory) }
        pool = try ContextPool(VaultRecipe(key: try key.copied()))
    }

    /// Seals `n` bytes.
    ///
    /// - Parameters:
    ///   - cleartext: at most ``cleartextByteLimit`` bytes. May lie where the ciphertext goes, and
    ///     must not overlap `sealed` otherwise.
    ///   - context: authenticated, not encrypted; at most ``contextByteLimit`` bytes.
    ///   - sealed: `n + 40` bytes, private to the caller.
    /// - Throws: ``CipherError/Code/badArgument`` when something is too long,
    ///   ``CipherError/Code/memory`` once the cipher has ended, ``CipherError/Code/random``,
    ///   ``CipherError/Code/library``. The sealed view may not be used then.
    /// - Complexity: one pass over the bytes, one keying of AES; no allocation; one system call for
    ///   64 seals.
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
    ///   - sealed: `n + 40` bytes, private to the caller: shared memory may change while it is
    ///     read.
    ///   - context: what it was sealed with.
    ///   - cleartext: `n` bytes; zeroed when libcrypto refuses. May lie where the ciphertext does,
    ///     and must not overlap `sealed` otherwise.
    /// - Throws: ``CipherError/Code/badTag`` when any bit of the above or the key differs;
    ///   ``CipherError/Code/memory`` once the cipher has ended.
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

    /// Wipes the key and every context, while others may still hold the cipher, and use it.
    ///
    /// A call that runs at this moment ends as usual, and its context is wiped then. Sealing and
    /// opening throw ``CipherError/Code/memory`` from now on.
    package func end() { pool.end() }
}
