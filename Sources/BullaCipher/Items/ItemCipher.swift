package import BullaMemory

/// Seals and opens the items of records: AES-256-GCM under one key after another.
///
/// A record has a key of its own, which seals a few items of a few dozen bytes each. So the cipher
/// does not keep a context of libcrypto for each key, but one for each thread, and gives it one key
/// after another. A context holds its last key until it gets another, or until the cipher ends.
///
/// Any number of threads may call at once.
///
///     offset  bytes  field
///          0     12  nonce        random
///         12      n  ciphertext
///     12 + n     16  tag
///
/// One key can seal 2^32 items (NIST SP 800-38D, section 8.3).
package final class ItemCipher: Sendable {
    package static let keyByteCount = 32
    /// How many bytes sealing adds to an item.
    package static let extraByteCount = 28
    /// How many of the added bytes follow the ciphertext.
    package static let tagByteCount = 16
    /// How many of the added bytes precede the ciphertext.
    package static let nonceByteCount = extraByteCount - tagByteCount

    private let pool: ContextPool<ItemRecipe>

    /// - Throws: ``CipherError/Code/library`` if libcrypto lacks the cipher.
    package init() throws(CipherError) { pool = try ContextPool(ItemRecipe()) }

    /// Lends a sealer under a key, for as long as `body` runs.
    ///
    /// - Parameter key: 32 bytes, private to the caller.
    package func sealing(
        under key: ByteView, _ body: (ItemSealer) throws(CipherError) -> Void
    ) throws(CipherError) {
        guard key.byteCount == Self.keyByteCount else { throw CipherError(.badArgument) }
        try pool.withContext { context throws(CipherError) in
            try context.setKey(key, isSealing: true)
            try body(ItemSealer(context))
        }
    }

    /// Lends an opener under a key, for as long as `body` runs.
    ///
    /// - Parameter key: 32 bytes, private to the caller.
    package func opening(
        under key: ByteView, _ body: (ItemOpener) throws(CipherError) -> Void
    ) throws(CipherError) {
        guard key.byteCount == Self.keyByteCount else { throw CipherError(.badArgument) }
        try pool.withContext { context throws(CipherError) in
            try context.setKey(key, isSealing: false)
            try body(ItemOpener(context))
        }
    }

    /// Wipes every context: calls from now on throw ``CipherError/Code/memory``.
    package func end() { pool.end() }
}

/// Seals items under one key.
///
/// It is valid only inside the closure that it is lent to.
package struct ItemSealer {
    private let context: ItemContext

    init(_ context: ItemContext) { self.context = context }

    /// Seals one item.
    ///
    /// - Parameters:
    ///   - item: `n` bytes; empty to authenticate the context alone.
    ///   - context: runs of bytes, authenticated one after another. The caller ensures that the
    ///     runs of two different contexts never concatenate to the same bytes.
    ///   - sealed: `n + 28` bytes, which must not overlap `item`.
    package func seal(
        _ item: ByteView, context runs: [ByteView], into sealed: MutableByteView
    ) throws(CipherError) {
        precondition(
            sealed.byteCount == item.byteCount + ItemCipher.extraByteCount, "the item fits")
        try context.seal(item, runs, into: sealed)
    }

    /// Seals one item in place.
    ///
    /// - Parameters:
    ///   - item: `n + 28` bytes: room for the nonce (12), the item, room for the tag (16). Zeroed
    ///     if the call throws.
    ///   - context: runs of bytes, authenticated one after another.
    package func seal(
        inPlace item: MutableByteView, context runs: [ByteView]
    ) throws(CipherError) { try context.seal(item.itself, runs, into: item) }
}

/// Opens items under one key.
///
/// It is valid only inside the closure that it is lent to.
package struct ItemOpener {
    private let context: ItemContext

    init(_ context: ItemContext) { self.context = context }

    /// Opens one item.
    ///
    /// - Parameters:
    ///   - sealed: `n + 28` bytes, private to the caller.
    ///   - context: the runs with which the item was sealed.
    ///   - item: `n` bytes; zeroed if the call throws.
    /// - Throws: ``CipherError/Code/badTag`` if any bit of `sealed` or the context was changed.
    package func open(
        _ sealed: ByteView, context runs: [ByteView], into item: MutableByteView
    ) throws(CipherError) {
        guard sealed.byteCount == item.byteCount + ItemCipher.extraByteCount else {
            throw CipherError(.malformed)
        }
        try context.open(sealed, runs, into: item)
    }

    /// Opens one item in place: its bytes replace their ciphertext.
    ///
    /// - Parameters:
    ///   - sealed: `n + 28` bytes, of which `n` are zeroed if the call throws.
    ///   - context: the runs with which the item was sealed.
    /// - Throws: ``CipherError/Code/badTag`` if any bit of `sealed` or the context was changed.
    package func open(
        inPlace sealed: MutableByteView, context runs: [ByteView]
    ) throws(CipherError) {
        guard sealed.byteCount >= ItemCipher.extraByteCount else { throw CipherError(.malformed) }
        let count = sealed.byteCount - ItemCipher.extraByteCount
        try context.open(
            sealed.view, runs, into: sealed.slice(ItemCipher.nonceByteCount, count))
    }

    /// Checks a seal, which is an item without bytes that authenticates its context.
    ///
    /// - Throws: ``CipherError/Code/badTag`` if any bit of the seal or the context was changed.
    package func verify(_ seal: ByteView, context runs: [ByteView]) throws(CipherError) {
        guard seal.byteCount == ItemCipher.extraByteCount else { throw CipherError(.malformed) }
        try context.verify(seal, runs)
    }
}

extension MutableByteView {
    /// The item itself, between its nonce and its tag.
    fileprivate var itself: ByteView {
        precondition(byteCount >= ItemCipher.extraByteCount, "an item has a nonce and a tag")
        return view.slice(ItemCipher.nonceByteCount, byteCount - ItemCipher.extraByteCount)
    }
}
