/// What snapshots stand on.
extension StoreCore {
    /// Keeps the pages of a commit; with a log those of the newest checkpoint, be it older.
    func pin(_ visibility: Visibility) throws(BullaError) -> PinnedCommit {
        try use { () throws(BullaError) in
            try checkUse()
            // With a log, what the trees have is published once it is durable.
            let isDurable = visibility == .durable || board.hasLog
            return try slots.pin(isDurable ? .durable : .published)
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
    /// - Throws: `busy` where a checkpoint came in between again and again; what following throws.
    func pinUnderLog(_ visibility: Visibility) throws(BullaError) -> SnapshotPin {
        try use { () throws(BullaError) in
            try checkUse()
            guard let log else {
                throw BullaError(.closed, "read \(parts.path): its log is not open")
            }
            for _ in 0..<Self.holdLimit {
                if let pin = try tryPin(visibility, log) { return pin }
            }
            throw BullaError(
                .busy,
                "begin a snapshot of \(parts.path): checkpoints came faster than one can be "
                    + "pinned, \(Self.holdLimit) times in a row")
        }
    }

    /// - Returns: `nil` where what the log says does not fit the trees: they are not the newest.
    private func tryPin(
        _ visibility: Visibility, _ log: StoreLog
    ) throws(BullaError) -> SnapshotPin? {
        let trees = try slots.pin(.durable)
        do throws(BullaError) {
            let record = try board.record(.durable)
            if record.commit == trees.commit,
                let view = try log.view(visibility, over: trees.commit),
                view.origin <= trees.commit, trees.commit <= view.commit
            {
                return SnapshotPin(trees: trees, nextTree: record.nextTree, view: view)
            }
        } catch {
            slots.unpin(trees.line)
            throw error
        }
        slots.unpin(trees.line)
        return nil
    }
}
