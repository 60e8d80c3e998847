package import BullaMemory
internal import Synchronization

/// Seals and opens the pages of one file under one data key.
///
/// Any number of threads may call at once.
///
/// A sealed page is its encrypted content, then a trailer (``TrailerField``). A page is bound to
/// its ``PageContext``. The call that seals a page draws a random nonce for it from the kernel.
///
/// The key is kept in ``SecretBytes``, and in expanded form in contexts of libcrypto, which are
/// wiped when the cipher ends or is deallocated. Until then the contexts are on libcrypto's heap,
/// because it offers no other place for them. So, unlike the key itself, they end up in a core
/// dump.
package final class PageCipher: Sendable {
    package let suite: Suite
    package let pageByteCount: Int
    /// A page less its trailer.
    package let contentByteCount: Int
    private let pool: ContextPool<CipherRecipe>

    /// A cipher for one data key; it keeps a copy of the key.
    ///
    /// - Parameters:
    ///   - suite: how pages are sealed. With ``Suite/plain``, the key is not used; only its length
    ///     is checked.
    ///   - key: 64 bytes: the first half for AES, the second for HMAC. GCM needs only the first.
    ///   - fileIdentifier: the identifier of the file that the pages belong to.
    ///   - formatVersion: that file's format version.
    ///   - pageByteCount: 64 to 65536.
    /// - Throws: ``CipherError/Code/badArgument`` when a length is wrong.
    package convenience init(
        suite: Suite, key: borrowing SecretBytes, fileIdentifier: FileIdentifier,
        formatVersion: UInt16, pageByteCount: Int
    ) throws(CipherError) {
        let isWhole = key.byteCount == KeyHalf.bothByteCount
        let isEnough = suite == .aes256GCM && key.byteCount == KeyHalf.byteCount
        guard isWhole || isEnough else { throw CipherError(.badArgument) }
        try self.init(
            CipherRecipe(
                suite: suite, key: suite == .plain ? nil : try key.copied(),
                fileIdentifier: fileIdentifier, formatVersion: formatVersion,
                pageByteCount: pageByteCount))
    }

    /// A cipher for a plain file: checksums instead of tags, no key.
    package convenience init(
        plain fileIdentifier: FileIdentifier, formatVersion: UInt16, pageByteCount: Int
    ) throws(CipherError) {
        try self.init(
            CipherRecipe(
                suite: .plain, key: nil, fileIdentifier: fileIdentifier,
                formatVersion: formatVersion, pageByteCount: pageByteCount))
    }

    private init(_ recipe: consuming CipherRecipe) throws(CipherError) {
        suite = recipe.suite
        pageByteCount = recipe.pageByteCount
        contentByteCount = recipe.pageByteCount - TrailerField.totalByteCount
        pool = try ContextPool(recipe)
    }

    /// Seals every page of the batch, and sets their checks.
    ///
    /// - Throws: ``CipherError/Code/random`` or ``CipherError/Code/library``; then none of the
    ///   sealed views may be used. ``CipherError/Code/badArgument`` for a plain page with an epoch.
    /// - Complexity: one pass over the pages; one system call for every 256 of them.
    package func seal(_ batch: inout SealBatch) throws(CipherError) {
        guard batch.count > 0 else { return }
        precondition(batch.pageByteCount == pageByteCount, "the pages are of this file's size")
        try pool.withContext { context throws(CipherError) in try batch.run(on: context) }
    }

    /// Seals every page of a batch; splits a long batch into pieces, for several threads.
    ///
    /// - Parameters:
    ///   - perform: gets a count and a closure; calls the closure for each number below the count,
    ///     on any threads, and returns when all calls are done.
    /// - Throws: as ``seal(_:)``.
    package func seal(
        _ batch: inout SealBatch, _ perform: (Int, @Sendable (Int) -> Void) -> Void
    ) throws(CipherError) {
        guard batch.count >= 2 * Self.piecePageCount else { return try seal(&batch) }
        precondition(batch.pageByteCount == pageByteCount, "the pages are of this file's size")
        let failure = Mutex<CipherError?>(nil)
        batch.withPieces(of: Self.piecePageCount) { count, seal in
            perform(count) { number in
                do throws(CipherError) {
                    try pool.withContext { context throws(CipherError) in
                        try seal(number, context)
                    }
                } catch { failure.withLock { $0 = error } }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// How many pages a piece has; sealing fewer takes less time than starting another thread.
    private static let piecePageCount = 32

    /// Seals one page.
    ///
    /// - Parameters:
    ///   - content: what to seal; a page less 32 bytes.
    ///   - page: where the sealed page goes; private to the caller, because the cipher reads it
    ///     back.
    ///   - context: what the page is bound to.
    /// - Throws: as ``seal(_:)``; then the sealed page must not be used.
    /// - Complexity: one pass over the page and one system call; no allocation.
    package func seal(
        _ content: ByteView, into page: MutableByteView, context: PageContext
    ) throws(CipherError) {
        precondition(page.byteCount == pageByteCount, "the page is of this file's size")
        precondition(content.byteCount == contentByteCount, "the content fits")
        try pool.withContext { cipher throws(CipherError) in
            try cipher.seal(content, into: page, context: context)
        }
    }

    /// Opens every page of the batch, in order, up to the first that does not open.
    ///
    /// - Throws: what ``open(_:into:context:check:)`` throws, with the index of the page. The
    ///   content of that page is zeroed; pages before it are opened, those after it are not
    ///   touched.
    package func open(_ batch: borrowing OpenBatch) throws(CipherError) {
        guard batch.count > 0 else { return }
        precondition(batch.pageByteCount == pageByteCount, "the pages are of this file's size")
        try pool.withContext { context throws(CipherError) in try batch.run(on: context) }
    }

    /// Opens one page.
    ///
    /// Decides in one call whether the page is whole, of this file, in its place, and the version
    /// that its parent names.
    ///
    /// - Parameters:
    ///   - page: the sealed page, private to the caller, because shared memory can change while it
    ///     is read.
    ///   - content: a page less 32 bytes; zeroed if the call throws.
    ///   - context: describes where the page was found, which must be where it was written.
    ///   - check: the page's check (``check(of:)``), as its parent stores it.
    /// - Throws: ``CipherError/Code/staleCheck`` if the parent names another version; otherwise
    ///   ``CipherError/Code/badTag`` if any bit of the page or its context differs.
    /// - Complexity: one pass over the page; no allocation.
    package func open(
        _ page: ByteView, into content: MutableByteView, context: PageContext, check: UInt64
    ) throws(CipherError) {
        precondition(page.byteCount == pageByteCount, "the page is of this file's size")
        precondition(content.byteCount == contentByteCount, "the content fits")
        try pool.withContext { cipher throws(CipherError) in
            try cipher.open(page, into: content, context: context, check: check)
        }
    }

    /// Verifies one plain page in place, without a copy.
    ///
    /// - Throws: as ``open(_:into:context:check:)``; ``CipherError/Code/badArgument`` if the suite
    ///   is not ``Suite/plain``.
    package func verify(
        _ page: ByteView, context: PageContext, check: UInt64
    ) throws(CipherError) {
        precondition(page.byteCount == pageByteCount, "the page is of this file's size")
        try pool.withContext { cipher throws(CipherError) in
            try cipher.open(page, into: nil, context: context, check: check)
        }
    }

    /// The key epoch in which a page was sealed, according to the page.
    ///
    /// Do not trust it before the page has been opened.
    package static func epoch(of sealed: ByteView) -> UInt32 {
        let trailer = sealed.byteCount - TrailerField.totalByteCount
        return sealed.load(UInt32.self, at: trailer + TrailerField.keyEpoch.offset)
    }

    /// The check by which a parent would name a sealed page: the beginning of its tag.
    package static func check(of sealed: ByteView) -> UInt64 {
        let trailer = sealed.byteCount - TrailerField.totalByteCount
        return sealed.load(UInt64.self, at: trailer + TrailerField.tag.offset)
    }

    /// Wipes the key and every context, even if others still hold the cipher.
    ///
    /// Call it when nobody is sealing or opening. Later calls throw ``CipherError/Code/memory``,
    /// except for a plain cipher, which has no key.
    package func end() {
        pool.end()
    }
}
