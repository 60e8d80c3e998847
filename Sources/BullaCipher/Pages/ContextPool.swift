internal import BullaMemory

/// The contexts of one data key: one for each thread that seals or opens, as far as there are
/// slots.
///
/// A context serves one call at a time. A thread begins to look at a slot of its own, so that it
/// finds its context free and warm; it takes the next free one if somebody else is there. There is
/// no lock: none can be held by a thread that a fork left behind. A plain context holds nothing
/// that changes, so one serves all.
final class ContextPool: Sendable {
    /// More threads at once than this make contexts for one call each.
    static let slotCount = 64

    private let recipe: CipherRecipe
    private let shared: CipherContext?
    private let slots: InlineArray<64, ContextSlot>

    /// Makes a context at once, so that a wrong argument is told at once.
    init(_ recipe: consuming CipherRecipe) throws(CipherError) {
        let first = try CipherContext(recipe)
        shared = recipe.suite == .plain ? first : nil
        if recipe.suite != .plain { first.destroy() }
        slots = InlineArray { _ in ContextSlot() }
        self.recipe = recipe
    }

    deinit {
        wipe()
        shared?.destroy()
    }

    /// Lends a context that nobody else uses, for as long as `body` runs.
    func withContext<R: ~Copyable>(
        _ body: (CipherContext) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        if let shared { return try body(shared) }
        guard let index = claim() else { return try withSpareContext(body) }
        defer { slots[index].giveBack() }
        return try body(slots[index].context(recipe))
    }

    private func claim() -> Int? {
        let home = CipherContext.threadOrdinal
        for step in 0..<Self.slotCount {
            let index = (home &+ step) % Self.slotCount
            if slots[index].claim() { return index }
        }
        return nil
    }

    private func withSpareContext<R: ~Copyable>(
        _ body: (CipherContext) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        let spare = try CipherContext(recipe)
        defer { spare.destroy() }
        return try body(spare)
    }

    /// Wipes every context, those of threads that a fork left behind too.
    ///
    /// Nobody may use one.
    func wipe() {
        for index in 0..<Self.slotCount { slots[index].empty() }
    }

    /// Wipes the key and every context, while others may still hold the pool: whoever asks for a
    /// context from now on is refused.
    ///
    /// Slots stay claimed, so that nothing is put into them again. A context that is in use at this
    /// moment would go with the pool only: the caller sees to it that none is.
    func end() {
        recipe.key?.wipe()
        for index in 0..<Self.slotCount where slots[index].claim() { slots[index].wipe() }
    }
}
