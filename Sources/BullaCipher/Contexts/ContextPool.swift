internal import Synchronization

/// The contexts of one key: one for each thread that seals or opens, as long as there are slots.
///
/// A context serves one call at a time; but if calls change nothing in it, one context serves all
/// threads. A thread always tries the same slot first, where it usually finds a context that is
/// free and warm; if not, it tries the next slots. There is no lock, because after a fork the child
/// could find the lock held by a thread that exists only in the parent.
final class ContextPool<Recipe: ContextRecipe & ~Copyable>: Sendable {
    /// How many contexts the pool keeps; if more threads call at once, each further call makes a
    /// context for itself.
    static var slotCount: Int { 64 }

    private let recipe: Recipe
    private let shared: Recipe.Context?
    private let slots: InlineArray<64, ContextSlot>
    private let hasEnded = Atomic(false)

    /// Makes one context right away, so that a wrong argument fails here.
    init(_ recipe: consuming Recipe) throws(CipherError) {
        let first = try recipe.makeContext()
        shared = recipe.isOneForAll ? first : nil
        if !recipe.isOneForAll { first.destroy() }
        slots = InlineArray { _ in ContextSlot() }
        self.recipe = recipe
    }

    /// When the last reference to the pool goes, nobody uses its contexts any more.
    deinit {
        for index in 0..<Self.slotCount { slots[index].empty(of: Recipe.self) }
        shared?.destroy()
    }

    /// Lends a context for as long as `body` runs.
    ///
    /// No other call uses it meanwhile, unless one context serves all threads.
    func withContext<R: ~Copyable>(
        _ body: (Recipe.Context) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        if let shared { return try body(shared) }
        guard let index = claim() else { return try withSpareContext(body) }
        defer { slots[index].giveBack(of: Recipe.self) }
        return try body(slots[index].context(makeContext))
    }

    /// Makes a new context.
    ///
    /// A context that was made while the key was being wiped may hold a half-wiped key, so it is
    /// destroyed.
    private func makeContext() throws(CipherError) -> Recipe.Context {
        let made = try recipe.makeContext()
        atomicMemoryFence(ordering: .acquiring)
        guard !hasEnded.load(ordering: .relaxed) else {
            made.destroy()
            throw CipherError(.memory)
        }
        return made
    }

    private func claim() -> Int? {
        let home = ThreadOrdinal.current
        for step in 0..<Self.slotCount {
            let index = (home &+ step) % Self.slotCount
            if slots[index].claim() { return index }
        }
        return nil
    }

    private func withSpareContext<R: ~Copyable>(
        _ body: (Recipe.Context) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        let spare = try makeContext()
        defer { spare.destroy() }
        return try body(spare)
    }

    /// Wipes the key and every context that holds it, even while references to the pool remain.
    ///
    /// From now on the pool lends no context, except one that serves all threads, which holds no
    /// key. A context that is in use is wiped when it is given back.
    func end() {
        hasEnded.store(true, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        recipe.wipe()
        for index in 0..<Self.slotCount { slots[index].close(of: Recipe.self) }
    }
}
