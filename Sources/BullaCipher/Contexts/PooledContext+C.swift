internal import CBullaCipher

/// One cipher of the C room, which holds a key in contexts of libcrypto.
///
/// Sendable, because ``ContextPool`` gives it to one thread at a time.
@safe protocol PooledContext: Sendable {
    var cipher: OpaquePointer { get }

    /// One that was made before.
    init(_ cipher: OpaquePointer)

    /// Wipes the key and frees the context, which nobody may use any more.
    func destroy()
}

/// What every context of one key is made from.
protocol ContextRecipe: ~Copyable, Sendable {
    associatedtype Context: PooledContext

    /// Whether one context serves all threads, because nothing in it changes.
    var isOneForAll: Bool { get }

    func makeContext() throws(CipherError) -> Context

    /// Wipes the key: no context is made any more.
    func wipe()
}

/// Which thread this is.
enum ThreadOrdinal {
    /// Tells this thread from others: the first to ask is 0, the next is 1.
    static var current: Int { Int(bulla_thread_ordinal()) }
}
