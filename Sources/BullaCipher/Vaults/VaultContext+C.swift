internal import BullaMemory
internal import CBullaCipher

/// A vault cipher in C; it holds a key, and nonces for later seals, in memory of its own.
///
/// Sendable, because ``ContextPool`` gives it to one thread at a time.
@safe struct VaultContext: PooledContext, @unchecked Sendable {
    let cipher: OpaquePointer

    init(_ cipher: OpaquePointer) {
        unsafe self.cipher = unsafe cipher
    }

    init(key: borrowing SecretBytes) throws(CipherError) {
        // A child after a fork does not have the key, and a wiped key is zeros.
        guard key.isIntact else { throw CipherError(.memory) }
        var made: OpaquePointer?
        // SAFETY: the key has 32 bytes, as the recipe's owner has checked.
        try CipherError.check(
            key.withView { unsafe bulla_vault_cipher_create($0.base, &made) })
        guard let made = unsafe made else { throw CipherError(.library) }
        unsafe self.cipher = unsafe made
    }

    func destroy() {
        // SAFETY: `init` made the cipher; the pool destroys each context once.
        unsafe bulla_vault_cipher_destroy(cipher)
    }

    func seal(
        _ cleartext: ByteView, context: ByteView, into sealed: MutableByteView
    ) throws(CipherError) {
        // SAFETY: every view is valid for its count, and the cipher's owner has checked that they
        // fit.
        try CipherError.check(
            unsafe bulla_vault_seal(
                cipher, context.base, context.byteCount, cleartext.base, cleartext.byteCount,
                sealed.base))
    }

    func open(
        _ sealed: ByteView, context: ByteView, into cleartext: MutableByteView
    ) throws(CipherError) {
        // SAFETY: every view is valid for its count, and the cipher's owner has checked that they
        // fit.
        try CipherError.check(
            unsafe bulla_vault_open(
                cipher, context.base, context.byteCount, sealed.base, sealed.byteCount,
                cleartext.base))
    }
}

/// Makes each ``VaultContext`` of one vault key.
struct VaultRecipe: ContextRecipe, ~Copyable, Sendable {
    /// 32 bytes.
    let key: SecretBytes

    var isOneForAll: Bool { false }

    func makeContext() throws(CipherError) -> VaultContext { try VaultContext(key: key) }

    func wipe() { key.wipe() }
}
