internal import CBullaCipher

/// A cipher in C, which holds a key in contexts of libcrypto.
///
/// Sendable, because either nothing in it changes, or ``ContextPool`` gives it to one thread at a
/// time.
@safe protocol PooledContext: Sendable {
    var cipher: OpaquePointer { get }

    /// Wraps a cipher that C code has made.
    init(_ cipher: OpaquePointer)

    /// Wipes the key and frees the context, which must not be used afterwards.
    func destroy()
}

/// Makes the contexts of one key.
protocol ContextRecipe: ~Copyable, Sendable {
    associatedtype Context: PooledContext

    /// Whether one context serves all threads, because nothing in it changes.
    var isOneForAll: Bool { get }

    func makeContext() throws(CipherError) -> Context

    /// Wipes the key; after that no context is made.
    func wipe()
}

/// Numbers the threads.
enum ThreadOrdinal {
    /// This thread's number: the first thread to ask is 0, the next is 1.
    static var current: Int { Int(bulla_thread_ordinal()) }
}
