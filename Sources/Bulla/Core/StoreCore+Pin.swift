/// What snapshots stand on.
extension StoreCore {
    /// Keeps the pages of the newest checkpoint.
    func pin() throws(BullaError) -> PinnedCommit {
        try use { () throws(BullaError) in
            try checkUse()
            return try slots.pin()
        }
    }

    /// Ends a snapshot; one that ends after the store has nothing to give back.
    func unpin(_ pinned: PinnedCommit) {
        guard let entry = try? enter() else { return }
        slots.unpin(pinned.line)
        gate.leave(entry)
    }

    /// Keeps the pages of the newest checkpoint, and what the log says over them.
    ///
    ///     step      what it is for
    ///     claim     the checkpoint's pages stay: claimed, and found to be the newest after that
    ///     ask       how far the log is durable, or was announced: no less far than the checkpoint
    ///     follow    the memtables say as much, and more
    ///     hold      what they say by then stays; and begins no later than the checkpoint
    ///
    /// In this order: a checkpoint that comes after the claim may have let go what came before it,
    /// which the claimed trees lack. Then all begins anew, over the newer trees.
    ///
    /// - Throws: `busy` where the two do not fit for the whole of the lock's timeout; what
    ///   following throws.
    func pinUnderLog(_ visibility: Visibility) throws(BullaError) -> SnapshotPin {
        try use { () throws(BullaError) in
            try checkUse()
            let log = try demandLog()
            return try pinning(to: "begin a snapshot of") {
                trees, record throws(BullaError) in
                guard let view = try log.view(visibility, over: trees.commit),
                    view.origin <= trees.commit, trees.commit <= view.commit
                else { return nil }
                // Another process may have made the checkpoint.
                if view.commit == trees.commit, !view.pair.isEmpty { log.forgetTaken() }
                return SnapshotPin(trees: trees, nextTree: record.nextTree, view: view)
            }
        }
    }

    /// Pins the newest checkpoint, again and again until what is said over it fits.
    ///
    /// A checkpoint may have come in between, or the tree of a root frame is about to be named.
    ///
    /// - Parameters:
    ///   - attempt: what it is for, in a message.
    ///   - body: gets the trees and their record; `nil` where they do not fit, and then they are
    ///     unpinned.
    func pinning<R: ~Copyable>(
        to attempt: String,
        _ body: (PinnedCommit, CommitRecord) throws(BullaError) -> R?
    ) throws(BullaError) -> R {
        var triesLeft = Self.holdLimit
        var deadline: ContinuousClock.Instant?
        while true {
            let trees = try slots.pin()
            do throws(BullaError) {
                let record = try board.checkpoint()
                if record.commit == trees.commit, let result = try body(trees, record) {
                    return result
                }
            } catch {
                slots.unpin(trees.line)
                throw error
            }
            slots.unpin(trees.line)
            triesLeft -= 1
            guard triesLeft <= 0 else { continue }
            let end = deadline ?? .now + options.lockTimeout
            deadline = end
            guard ContinuousClock.now < end else { throw unfitting(attempt) }
            Pause.brief()
        }
    }

    private func unfitting(_ attempt: String) -> BullaError {
        BullaError(
            .busy,
            "\(attempt) \(parts.path): what its log says did not fit its newest checkpoint for "
                + "\(options.lockTimeout)")
    }
}
