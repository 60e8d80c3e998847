internal import Synchronization

/// Room for one context, alone on its cache line: two threads never write the same line.
///
///     word    written by           read by
///     isBusy  who claims the slot  everybody: acquired by claiming, released by giving back
///     cipher  who holds the claim  who holds the claim; the pool, at its end
///
/// Sendable, because both words are atomic; a pointer alone does not say so.
@safe struct ContextSlot: ~Copyable, @unchecked Sendable {
    private let isBusy = Atomic<Bool>(false)
    /// `nil` until a call has needed it.
    private let cipher = unsafe Atomic<OpaquePointer?>(nil)
    private let padding: InlineArray<6, UInt64> = [0, 0, 0, 0, 0, 0]

    /// Whether the slot is the caller's now, until it gives it back.
    func claim() -> Bool {
        !isBusy.load(ordering: .relaxed) && !isBusy.exchange(true, ordering: .acquiring)
    }

    func giveBack() {
        isBusy.store(false, ordering: .releasing)
    }

    /// The context in it, made at the first call.
    ///
    /// For who holds the claim.
    func context(_ recipe: borrowing CipherRecipe) throws(CipherError) -> CipherContext {
        if let made = unsafe cipher.load(ordering: .relaxed) {
            return unsafe CipherContext(made)
        }
        let context = try CipherContext(recipe)
        unsafe cipher.store(context.cipher, ordering: .relaxed)
        return context
    }

    /// Wipes and frees the context.
    ///
    /// For who knows that nobody uses it, and nobody will.
    func empty() {
        wipe()
        giveBack()
    }

    /// Wipes and frees the context, if there is one.
    ///
    /// For who holds the claim.
    func wipe() {
        guard let made = unsafe cipher.exchange(nil, ordering: .acquiring) else { return }
        unsafe CipherContext(made).destroy()
    }
}
