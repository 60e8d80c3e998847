internal import BullaMemory
internal import CBullaCipher

/// An item cipher in C.
///
/// Sendable, because ``ContextPool`` gives it to one thread at a time.
@safe struct ItemContext: PooledContext, @unchecked Sendable {
    let cipher: OpaquePointer

    init(_ cipher: OpaquePointer) {
        unsafe self.cipher = unsafe cipher
    }

    init() throws(CipherError) {
        var made: OpaquePointer?
        try CipherError.check(unsafe bulla_item_cipher_create(&made))
        guard let made = unsafe made else { throw CipherError(.library) }
        unsafe self.cipher = unsafe made
    }

    func destroy() {
        // SAFETY: `init` made the cipher; the pool destroys each context once.
        unsafe bulla_item_cipher_destroy(cipher)
    }

    func setKey(_ key: ByteView, isSealing: Bool) throws(CipherError) {
        // SAFETY: the key has 32 bytes, as the cipher's owner has checked.
        try CipherError.check(unsafe bulla_item_set_key(cipher, key.base, isSealing))
    }

    func seal(
        _ item: ByteView, _ context: [ByteView], into sealed: MutableByteView
    ) throws(CipherError) {
        let runs = unsafe ByteView.runs(context)
        // SAFETY: every view is valid for its count, and the sealer has checked that they fit.
        try CipherError.check(
            unsafe bulla_item_seal(
                cipher, runs, runs.count, item.base, item.byteCount, sealed.base))
    }

    func open(
        _ sealed: ByteView, _ context: [ByteView], into item: MutableByteView
    ) throws(CipherError) { unsafe try open(sealed, context, into: item.base) }

    /// Opens an item that has no bytes.
    func verify(_ seal: ByteView, _ context: [ByteView]) throws(CipherError) {
        var nothing: UInt8 = 0
        unsafe try open(seal, context, into: &nothing)
    }

    private func open(
        _ sealed: ByteView, _ context: [ByteView], into item: UnsafeMutableRawPointer
    ) throws(CipherError) {
        let runs = unsafe ByteView.runs(context)
        // SAFETY: every view is valid for its count, and the opener has checked that they fit.
        try CipherError.check(
            unsafe bulla_item_open(
                cipher, runs, runs.count, sealed.base, sealed.byteCount, item))
    }
}

/// Makes item contexts without keys; each context later gets one key after another.
struct ItemRecipe: ContextRecipe, ~Copyable, Sendable {
    var isOneForAll: Bool { false }
    func makeContext() throws(CipherError) -> ItemContext { try ItemContext() }
    func wipe() {}
}
