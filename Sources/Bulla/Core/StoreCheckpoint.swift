internal import BullaMemory

/// Makes checkpoints, in which the trees take over the changes in the log.
struct StoreCheckpoint: Sendable {
    let core: StoreCore

    private var trees: StoreTrees { core.trees }
    private var path: String { core.parts.path }

    /// How many times the store tries to hold the changes in the log; a checkpoint or a flush that
    /// comes during a try can make it fail.
    static let holdLimit = 100

    /// Makes a checkpoint, which changes nothing that a reader can see.
    ///
    ///     step           state if a crash follows
    ///     merge, seal    the former checkpoint; in free space, sealed pages that nothing names
    ///     flush          the same
    ///     post           this checkpoint; the other slot names the former one
    ///     confirm        this checkpoint; both slots name it
    ///
    /// The trees take over the whole older half of the log or, if there is no older half, what is
    /// durable. Commits go on meanwhile.
    ///
    /// - Parameter isWanted: called under the lock on the trees.
    /// - Returns: `false` if no checkpoint was wanted, or if there was nothing to take over.
    /// - Throws: `notYetDurable` if what is to be taken over is not flushed within the timeout;
    ///   `busy` if another thread or process changes the trees, or flushes, for the whole timeout;
    ///   `full`, `io`. A failure before the checkpoint is named changes nothing. If naming or
    ///   confirming it fails, the checkpoint may be in force all the same. In either case the log
    ///   still has everything.
    @discardableResult
    func make(
        where isWanted: () throws(BullaError) -> Bool = { true }
    ) throws(BullaError) -> Bool {
        try core.entrance.checkWritable()
        let log = try core.log.demand()
        try log.awaitDurable(log.newestCommit())
        let base = try trees.lock()
        defer { trees.unlock() }
        guard try isWanted() else { return false }
        // Another process may have made a checkpoint of changes that this process still holds as
        // the older half.
        log.memtables.forget(upTo: LogPosition(base))
        let taken = try hold(log, over: base)
        guard taken.end.commit > base.commit else {
            try core.metaWriter.confirmCheckpoint()
            return false
        }
        try core.entrance.enteringThoughShutting { () throws(BullaError) in
            let memory = try trees.memories.take()
            defer { trees.memories.takeBack(memory) }
            let (change, record) = try sealed(taken, base, memory)
            // From here on a slot may name the pages. So whatever fails, do not reuse them or
            // shorten the file.
            defer { change.pages.writer.drop() }
            try core.metaWriter.post(record)
            ChangeSealing(change: change).keepPages()
        }
        core.board.words.storeRelease(SystemClock.seconds, WorldLayout.lastCheckpoint)
        core.board.words.add(1, WorldLayout.checkpoints)
        log.memtables.forget(upTo: taken.end)
        log.forgetTaken()
        core.snapshots.forget()
        try core.metaWriter.confirmCheckpoint()
        return true
    }

    /// Makes a checkpoint on a thread that gives way to commits, and waits for it.
    ///
    /// Call it inside the store's gate, but not as a writer, or other commits would wait for the
    /// slow thread.
    func makeAside() throws(BullaError) -> Bool {
        try BackgroundThread.run(PlantedBug.carried { () throws(BullaError) in try make() })
    }

    /// Makes the trees take over all that is durable now, for a copy of their pages.
    ///
    /// - Throws: `readOnly` if the trees lack durable commits, and the store was opened for reading
    ///   only; what ``make(where:)`` throws.
    func takeOverForCopy() throws(BullaError) {
        let wanted = try core.log.durableCommit()
        while try core.board.checkpoint().commit < wanted {
            guard core.options.access == .readWrite else {
                throw BullaError(
                    .readOnly,
                    "copy the pages of \(path): its log has commits that they lack, and it was "
                        + "opened for reading only; open it to write, or wait for a checkpoint")
            }
            guard try make() else { return }
        }
    }

    /// Holds a version of the changes that the trees can take over, so that no thread drops it.
    private func hold(
        _ log: StoreLog, over base: CommitRecord
    ) throws(BullaError) -> LogCheckpoint {
        for _ in 0..<Self.holdLimit {
            let durable = try log.shared.durablePosition()
            try log.shared.follow(to: durable.commit)
            // This fails if a later commit has become durable meanwhile, and another thread has
            // dropped the versions before it.
            guard let taken = try log.memtables.holdForCheckpoint(durable) else { continue }
            guard taken.view.origin <= base.commit else {
                throw BullaError(
                    .corrupted,
                    "make a checkpoint of \(path): the log was followed from commit "
                        + "\(taken.view.origin), and the trees have commit \(base.commit)")
            }
            return taken
        }
        throw BullaError(
            .busy,
            "make a checkpoint of \(path): commits became durable faster than the log could be "
                + "held, \(Self.holdLimit) times in a row")
    }

    /// Merges and seals what is taken over, and returns the change and the checkpoint's record.
    private func sealed(
        _ taken: borrowing LogCheckpoint, _ base: CommitRecord, _ memory: WriterMemory
    ) throws(BullaError) -> (TreeChange, CommitRecord) {
        do throws(BullaError) {
            return try sealed(taken, base, memory, isGrowing: true)
        } catch {
            // The growth of the log may have taken the last free room, so try again without growth.
            guard error.code == .full else { throw error }
            memory.freeAll()
            return try sealed(taken, base, memory, isGrowing: false)
        }
    }

    /// - Parameter isGrowing: whether the half that the checkpoint frees can grow.
    private func sealed(
        _ taken: borrowing LogCheckpoint, _ base: CommitRecord, _ memory: WriterMemory,
        isGrowing: Bool
    ) throws(BullaError) -> (TreeChange, CommitRecord) {
        let change = trees.makeChange(over: base, commit: taken.end.commit, memory)
        do throws(BullaError) {
            try LogMerge(change: change).merge(taken.view.pair, nextTree: taken.view.nextTree)
            change.log = change.base.log.moved(to: taken.end)
            if isGrowing { try LogGrowth(core: core).growFreedHalf(change) }
            return (change, try trees.seal(change))
        } catch {
            trees.giveUp(change)
            throw error
        }
    }
}
