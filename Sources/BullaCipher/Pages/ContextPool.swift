internal import BullaMemory
internal import Synchronization

/// The contexts of one data key: as many as threads have ever called at once.
///
/// A context serves one call at a time. It is made when none lies idle, goes back after the call,
/// and is wiped and freed with the pool. A plain context holds nothing that changes, so one serves
/// all.
final class ContextPool: Sendable {
    private struct Contexts {
        var idle: [CipherContext] = []
        /// Idle or not: what must be wiped at the end.
        var made: [CipherContext] = []
    }

    private let recipe: CipherRecipe
    private let shared: CipherContext?
    private let contexts = Mutex(Contexts())

    /// Makes the first context, so that a wrong argument is told at once.
    init(_ recipe: consuming CipherRecipe) throws(CipherError) {
        let first = try CipherContext(recipe)
        shared = recipe.suite == .plain ? first : nil
        self.recipe = recipe
        contexts.withLock {
            $0.idle.append(first)
            $0.made.append(first)
        }
    }

    deinit {
        contexts.withLock { $0.made.forEach { $0.destroy() } }
    }

    func withContext<R: ~Copyable>(
        _ body: (CipherContext) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        if let shared { return try body(shared) }
        let context = try take()
        defer { contexts.withLock { $0.idle.append(context) } }
        return try body(context)
    }

    private func take() throws(CipherError) -> CipherContext {
        if let idle = contexts.withLock({ $0.idle.popLast() }) { return idle }
        return try make()
    }

    private func make() throws(CipherError) -> CipherContext {
        let context = try CipherContext(recipe)
        contexts.withLock { $0.made.append(context) }
        return context
    }

    /// Wipes every context, those of threads that a fork left behind too.
    ///
    /// - Returns: false when one of those threads held the lock: then nothing is wiped.
    func wipeInChild() -> Bool {
        let wiped: Void? = contexts.withLockIfAvailable {
            $0.made.forEach { $0.destroy() }
            $0 = Contexts()
        }
        return wiped != nil
    }
}
