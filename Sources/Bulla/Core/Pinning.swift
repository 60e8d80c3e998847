/// Pins what snapshots and transactions stand on.
struct Pinning {
    let core: StoreCore

    /// Pins the newest checkpoint, so that its pages stay.
    func pin() throws(BullaError) -> PinnedCommit {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            return try core.slots.pin()
        }
    }

    /// Ends a snapshot; one that ends after the store has nothing to give back.
    func unpin(_ pinned: PinnedCommit) {
        guard let entry = try? core.entrance.enter() else { return }
        core.snapshots.end(pinned.line)
        core.slots.unpin(pinned.line)
        core.entrance.leave(entry)
    }

    /// Pins the newest checkpoint, and holds what the log says over it.
    ///
    ///     step      what it is for
    ///     claim     the checkpoint's pages stay: claimed, and found to be the newest after that
    ///     ask       how far the log is durable, or was announced: no less far than the checkpoint
    ///     follow    the memtables say as much, and more
    ///     hold      what they say by then stays; and begins no later than the checkpoint
    ///
    /// The order matters: a checkpoint that comes after the claim can let go of commits before it
    /// that the claimed trees lack. Then all steps begin again, over the newer trees.
    ///
    /// If nothing has changed since the last snapshot in the same line, what that one found in
    /// the last three steps is used again.
    ///
    /// - Throws: `busy` if the trees and the log do not fit for the whole lock timeout; what
    ///   following throws.
    func pinUnderLog(_ visibility: SnapshotVisibility) throws(BullaError) -> SnapshotPin {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            let early = try durableAskedFirst()
            return try pinning(to: "begin a snapshot of") { trees throws(BullaError) in
                if early == nil, !PlantedBug.isPlanted(.slotHoldsCommit),
                    let pin = try core.snapshots.pin(trees, visibility)
                {
                    return pin
                }
                return try ask(trees, visibility, atLeast: early)
            }
        }
    }

    /// For a planted bug: reads how far the log is durable before anything is claimed.
    private func durableAskedFirst() throws(BullaError) -> UInt64? {
        guard PlantedBug.isPlanted(.durableAskedFirst) else { return nil }
        return try core.log.durableCommit()
    }

    /// Finds what the log says over trees that are claimed.
    ///
    /// - Parameter early: the result of ``durableAskedFirst()``.
    /// - Returns: `nil` if it does not fit the trees.
    private func ask(
        _ trees: PinnedCommit, _ visibility: SnapshotVisibility, atLeast early: UInt64?
    ) throws(BullaError) -> SnapshotPin? {
        let log = try core.log.demand()
        // The changes first, and a record that was verified: a moment is never newer than what is
        // found below.
        let changes = log.memtables.changeCount
        let durable = try log.shared.durableRecord()
        let moment = core.snapshots.moment(trees, durable.sequence, changes)
        guard let record = try record(of: trees) else { return nil }
        let newest = max(durable.commit, trees.commit)
        guard let view = try log.view(visibility, atLeast: early ?? newest),
            view.origin <= trees.commit, trees.commit <= view.commit || early != nil
        else { return nil }
        if PlantedBug.isPlanted(.slotHoldsCommit) { core.slots.claim(view.commit, for: trees) }
        let (commit, isEmpty) = (view.commit, view.pair.isEmpty)
        // Another process may have made the checkpoint.
        if commit == trees.commit, !isEmpty { log.forgetTaken() }
        let saysNothing = isEmpty || commit == trees.commit
        let pin = SnapshotPin(
            trees: trees, commit: commit,
            overlay: saysNothing ? nil : Overlay(view, nextStoredTree: record.nextTree))
        if early == nil, !PlantedBug.isPlanted(.slotHoldsCommit) {
            core.snapshots.keep(pin, of: moment, visibility, log)
        }
        return pin
    }

    /// The record of trees that are claimed; `nil` if a newer one was posted.
    private func record(of trees: PinnedCommit) throws(BullaError) -> CommitRecord? {
        let record = try core.board.checkpoint()
        return record.commit == trees.commit ? record : nil
    }

    /// Pins the newest checkpoint, and holds what the log says over it, to be changed.
    ///
    /// The caller holds the writer lock.
    ///
    /// - Throws: as ``pinUnderLog(_:)``.
    func pinUnderEdit(_ log: StoreLog) throws(BullaError) -> ChangesPin {
        try pinning(to: "begin a write to") { trees throws(BullaError) in
            guard let record = try record(of: trees) else { return nil }
            let edit = try log.memtables.edit()
            guard edit.origin <= trees.commit else { return nil }
            return ChangesPin(trees: trees, nextTree: record.nextTree, edit: edit)
        }
    }

    /// Pins the newest checkpoint, and tries again until what the log says fits on top of it.
    ///
    /// It does not fit if a checkpoint came in between, or if the tree of a root frame is about to
    /// be named.
    ///
    /// - Parameters:
    ///   - attempt: what it is for, in a message.
    ///   - body: gets the trees; returns `nil` if what the log says does not fit them, and then
    ///     they are unpinned.
    private func pinning<R: ~Copyable>(
        to attempt: String,
        _ body: (PinnedCommit) throws(BullaError) -> R?
    ) throws(BullaError) -> R {
        var triesLeft = StoreCheckpoint.holdLimit
        var deadline: ContinuousClock.Instant?
        while true {
            let trees = try core.slots.pin()
            do throws(BullaError) {
                if let result = try body(trees) { return result }
            } catch {
                core.slots.unpin(trees.line)
                throw error
            }
            core.slots.unpin(trees.line)
            triesLeft -= 1
            guard triesLeft <= 0 else { continue }
            let end = deadline ?? .now + core.options.lockTimeout
            deadline = end
            guard ContinuousClock.now < end else { throw unfitting(attempt) }
            Pause.brief()
        }
    }

    private func unfitting(_ attempt: String) -> BullaError {
        BullaError(
            .busy,
            "\(attempt) \(core.parts.path): what its log says did not fit its newest checkpoint "
                + "for \(core.options.lockTimeout)")
    }
}
