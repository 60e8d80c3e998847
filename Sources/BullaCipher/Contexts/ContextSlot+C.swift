internal import Synchronization

/// Room for one context, padded to a cache line, so that threads with different slots do not write
/// the same line.
///
///     word    written by              read by
///     state   claimers, the pool      everybody: claiming acquires it, giving back releases it
///     cipher  the holder, the pool    the holder of a claim; the pool, at its end
///
/// Sendable, because both words are atomic; the compiler cannot tell, as one holds a pointer.
@safe struct ContextSlot: ~Copyable, @unchecked Sendable {
    /// The values of `state`.
    private enum State {
        static let free: UInt8 = 0
        static let busy: UInt8 = 1
        /// Still claimed: the holder will wipe the context when it gives the slot back.
        static let closing: UInt8 = 2
        static let closed: UInt8 = 3
    }

    private let state = Atomic<UInt8>(State.free)
    /// `nil` until a call first needs a context.
    private let cipher = unsafe Atomic<OpaquePointer?>(nil)
    private let padding: InlineArray<6, UInt64> = [0, 0, 0, 0, 0, 0]

    /// Claims the slot until the caller gives it back; returns `false` if it is not free.
    func claim() -> Bool {
        state.load(ordering: .relaxed) == State.free
            && state.compareExchange(
                expected: State.free, desired: State.busy, ordering: .acquiring
            ).exchanged
    }

    /// Ends a claim; wipes the context if the pool has ended meanwhile.
    func giveBack<Recipe: ContextRecipe & ~Copyable>(of recipe: Recipe.Type) {
        let isOpen = state.compareExchange(
            expected: State.busy, desired: State.free, ordering: .releasing
        ).exchanged
        guard !isOpen else { return }
        wipe(of: recipe)
        state.store(State.closed, ordering: .releasing)
    }

    /// The slot's context, which `make` makes at the first call.
    ///
    /// Only the holder of the claim may call this.
    func context<Context: PooledContext>(
        _ make: () throws(CipherError) -> Context
    ) throws(CipherError) -> Context {
        if let made = unsafe cipher.load(ordering: .relaxed) {
            return unsafe Context(made)
        }
        let context = try make()
        unsafe cipher.store(context.cipher, ordering: .relaxed)
        return context
    }

    /// Forbids further claims, and wipes the context: at once if the slot is free, or else when the
    /// holder gives it back.
    func close<Recipe: ContextRecipe & ~Copyable>(of recipe: Recipe.Type) {
        while true {
            let (wasFree, seen) = state.compareExchange(
                expected: State.free, desired: State.closed, ordering: .acquiring)
            if wasFree { return wipe(of: recipe) }
            guard seen == State.busy else { return }
            let isLeftToHolder = state.compareExchange(
                expected: State.busy, desired: State.closing, ordering: .relaxed
            ).exchanged
            if isLeftToHolder { return }
        }
    }

    /// Wipes and frees the context, and frees the slot, even if it is claimed.
    ///
    /// The caller must know that nobody uses the context.
    func empty<Recipe: ContextRecipe & ~Copyable>(of recipe: Recipe.Type) {
        wipe(of: recipe)
        state.store(State.free, ordering: .releasing)
    }

    private func wipe<Recipe: ContextRecipe & ~Copyable>(of recipe: Recipe.Type) {
        guard let made = unsafe cipher.exchange(nil, ordering: .acquiring) else { return }
        unsafe Recipe.Context(made).destroy()
    }
}
