/// Pins what snapshots and transactions read: a checkpoint's trees, and the changes in the log.
struct Pinning {
    let core: StoreCore

    /// Pins the newest checkpoint, so that its pages stay readable.
    func pin() throws(BullaError) -> PinnedCommit {
        try core.entrance.use { () throws(BullaError) in
            try core.entrance.checkUse()
            return try core.slots.pin()
        }
    }

    /// Unpins the checkpoint of a snapshot that ends; does nothing once the store is closed.
    func unpin(_ pinned: PinnedCommit) {
        guard let entry = try? core.entrance.enter() else { return }
        core.snapshots.end(pinned.line)
        core.slots.unpin(pinned.line)
        core.entrance.leave(entry)
    }

    /// Pins the newest checkpoint, and holds the changes in the log after it.
    ///
    ///     step      what happens
    ///     claim     the checkpoint's pages stay readable; it is still the newest once claimed
    ///     ask       finds how far the log is durable or announced; at least up to the checkpoint
    ///     follow    the memtables take in the log, at least that far
    ///     hold      the memtables' changes stay in memory; they begin no later than the checkpoint
    ///
    /// The order matters: once there is a checkpoint newer than the claimed one, the memtables may
    /// have dropped commits that the claimed trees lack. In that case all steps begin again, over
    /// the newer trees.
    ///
    /// If nothing has changed since the last snapshot in the same reader line (``SnapshotCache``),
    /// the new snapshot reuses what the last three steps found for that one.
    ///
    /// - Throws: `busy` if the trees and the log have not fitted together within the lock timeout;
    ///   what following the log throws.
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

    /// How far the log is durable, read before anything is claimed.
    ///
    /// Only a planted bug reads it so early; `nil` if that bug is not planted.
    private func durableAskedFirst() throws(BullaError) -> UInt64? {
        guard PlantedBug.isPlanted(.durableAskedFirst) else { return nil }
        return try core.log.durableCommit()
    }

    /// Finds the changes that the log has on top of claimed trees.
    ///
    /// - Parameter early: the result of ``durableAskedFirst()``.
    /// - Returns: `nil` if the changes do not fit the trees.
    private func ask(
        _ trees: PinnedCommit, _ visibility: SnapshotVisibility, atLeast early: UInt64?
    ) throws(BullaError) -> SnapshotPin? {
        let log = try core.log.demand()
        // Read the two numbers that go into `moment` before the log, so that `moment` is never
        // newer than what is found below. Read the whole durable record, which verifies it, because
        // ``SnapshotCache`` later compares only its number.
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
        // If another process made the checkpoint, this process's memtables still hold the changes
        // that are now in the trees.
        if commit == trees.commit, !isEmpty { log.forgetTaken() }
        let saysNothing = isEmpty || commit == trees.commit
        let overlay = saysNothing ? nil : Overlay(view, nextStoredTree: record.nextTree)
        if early == nil, !PlantedBug.isPlanted(.slotHoldsCommit) {
            core.snapshots.keep(SeenCommit(commit, of: moment, visibility, log, overlay), trees)
        }
        return SnapshotPin(trees: trees, commit: commit, overlay: overlay)
    }

    /// The record of claimed trees; `nil` if a newer record was posted.
    private func record(of trees: PinnedCommit) throws(BullaError) -> CommitRecord? {
        let record = try core.board.checkpoint()
        return record.commit == trees.commit ? record : nil
    }

    /// Pins the newest checkpoint, and begins an edit on top of the changes in the log after it.
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

    /// Pins the newest checkpoint, and tries again until the changes in the log fit on top of it.
    ///
    /// They do not fit if another checkpoint came after the pin, or if a direct commit is in the
    /// log and no meta slot names its trees yet.
    ///
    /// - Parameters:
    ///   - attempt: the purpose of the pin, for an error's text.
    ///   - body: gets the trees; returns `nil` if the changes do not fit them, which makes this
    ///     function unpin the trees and try again.
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
            "\(attempt) \(core.parts.path): the changes in its log did not fit its newest "
                + "checkpoint for \(core.options.lockTimeout)")
    }
}
