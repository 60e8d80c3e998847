internal import Synchronization

/// The contexts of one key: one for each thread that seals or opens, as far as there are slots.
///
/// A context serves one call at a time. A thread begins to look at a slot of its own, so that it
/// finds its context free and warm; it takes the next free one if somebody else is there. There is
/// no lock: none can be held by a thread that a fork left behind. A context in which nothing
/// changes serves all.
final class ContextPool<Recipe: ContextRecipe & ~Copyable>: Sendable {
    /// More threads at once than this make contexts for one call each.
    static var slotCount: Int { 64 }

    private let recipe: Recipe
    private let shared: Recipe.Context?
    private let slots: InlineArray<64, ContextSlot>
    private let hasEnded = Atomic(false)

    /// Makes a context at once, so that a wrong argument is told at once.
    init(_ recipe: consuming Recipe) throws(CipherError) {
        let first = try recipe.makeContext()
        shared = recipe.isOneForAll ? first : nil
        if !recipe.isOneForAll { first.destroy() }
        slots = InlineArray { _ in ContextSlot() }
        self.recipe = recipe
    }

    /// Nobody uses a context any more.
    deinit {
        for index in 0..<Self.slotCount { slots[index].empty(of: Recipe.self) }
        shared?.destroy()
    }

    /// Lends a context that nobody else uses, for as long as `body` runs.
    func withContext<R: ~Copyable>(
        _ body: (Recipe.Context) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        if let shared { return try body(shared) }
        guard let index = claim() else { return try withSpareContext(body) }
        defer { slots[index].giveBack(of: Recipe.self) }
        return try body(slots[index].context(makeContext))
    }

    /// A new context.
    ///
    /// One that was made while the key was wiped may hold half of it, and serves nobody.
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

    /// Wipes the key and every context, while others may still hold the pool: whoever asks for a
    /// context from now on is refused.
    ///
    /// A context that is in use at this moment is wiped as it is given back.
    func end() {
        hasEnded.store(true, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        recipe.wipe()
        for index in 0..<Self.slotCount { slots[index].close(of: Recipe.self) }
    }
}
