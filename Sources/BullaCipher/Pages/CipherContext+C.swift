internal import BullaMemory
internal import CBullaCipher

/// A page cipher in C, which holds a data key in contexts of libcrypto.
///
/// Sendable, because ``ContextPool`` gives each context to one thread at a time. Only the context
/// of a plain store serves all threads at once, and nothing in that context changes.
@safe struct CipherContext: PooledContext, @unchecked Sendable {
    let cipher: OpaquePointer

    /// Wraps a cipher that C code has made.
    init(_ cipher: OpaquePointer) {
        unsafe self.cipher = unsafe cipher
    }

    init(_ recipe: borrowing CipherRecipe) throws(CipherError) {
        var made: OpaquePointer?
        let status = unsafe recipe.withKeyAndIdentifier { key, identifier in
            // SAFETY: the key has 64 bytes, or for GCM at least 32; a plain cipher has none. The
            // identifier has 16 bytes.
            unsafe bulla_page_cipher_create(
                bulla_suite(UInt32(recipe.suite.rawValue)), key, identifier,
                recipe.formatVersion, recipe.pageByteCount, &made)
        }
        try CipherError.check(status)
        guard let made = unsafe made else { throw CipherError(.library) }
        unsafe self.cipher = unsafe made
    }

    /// Wipes the key and frees the context, which must not be used afterwards.
    func destroy() {
        // SAFETY: `init` made the cipher; the pool destroys each context once.
        unsafe bulla_page_cipher_destroy(cipher)
    }

    func seal(_ jobs: UnsafeMutableBufferPointer<bulla_page_job>) throws(CipherError) {
        guard let base = jobs.baseAddress else { return }
        // SAFETY: the jobs were made from views with the right counts.
        try CipherError.check(unsafe bulla_pages_seal(cipher, base, jobs.count))
    }

    func open(_ jobs: UnsafeBufferPointer<bulla_page_job>) throws(CipherError) {
        guard let base = jobs.baseAddress else { return }
        var failed = 0
        // SAFETY: the jobs were made from views with the right counts.
        let status = unsafe bulla_pages_open(cipher, base, jobs.count, &failed)
        try CipherError.check(status, index: failed)
    }

    /// Seals one page, without an array.
    func seal(
        _ content: ByteView, into page: MutableByteView, context: PageContext
    ) throws(CipherError) {
        var job = unsafe bulla_page_job(context, in: content.base, out: page.base, check: 0)
        // SAFETY: one job, made from views whose counts the caller has checked.
        try CipherError.check(unsafe bulla_pages_seal(cipher, &job, 1))
    }

    /// Opens one page, without an array; `content` is `nil` to verify a plain page in place.
    func open(
        _ page: ByteView, into content: MutableByteView?, context: PageContext, check: UInt64
    ) throws(CipherError) {
        var job = unsafe bulla_page_job(
            context, in: page.base, out: content?.base, check: check)
        var failed = 0
        // SAFETY: one job, made from views whose counts the caller has checked.
        try CipherError.check(unsafe bulla_pages_open(cipher, &job, 1, &failed))
    }
}

extension CipherRecipe {
    /// Lends what a C cipher is made from: the key, if there is one, and the identifier.
    fileprivate borrowing func withKeyAndIdentifier(
        _ body: (UnsafeRawPointer?, UnsafeRawPointer) -> bulla_cipher_status
    ) -> bulla_cipher_status {
        fileIdentifier.bytes.withView { identifier in
            switch key {
            case .some(let key):
                // A child after a fork does not have the key, and a wiped key is zeros.
                guard key.isIntact else { return BULLA_CIPHER_MEMORY }
                return key.withView { unsafe body($0.base, identifier.base) }
            case .none:
                return unsafe body(nil, identifier.base)
            }
        }
    }
}
