internal import BullaMemory

/// Commits transactions that go direct: they change the trees' pages, usually because they have
/// outgrown the log.
struct DirectCommit {
    let core: StoreCore

    private var trees: StoreTrees { core.trees }

    /// Makes a transaction go direct: from here on it changes pages, on top of all changes in the
    /// log.
    ///
    /// The transaction holds the lock on the trees until it ends or gives up its pages, so no
    /// thread or process makes a checkpoint meanwhile.
    ///
    /// - Returns: the change of the trees.
    @discardableResult
    func begin(_ changes: LogChanges) throws(BullaError) -> TreeChange {
        let base = try trees.lock()
        do throws(BullaError) {
            let memory = try trees.memories.take()
            let change = trees.makeChange(over: base, commit: changes.commit, memory)
            do throws(BullaError) { try changes.goDirect(change) } catch {
                trees.giveUp(change)
                trees.memories.takeBack(memory)
                throw error
            }
            return change
        } catch {
            trees.unlock()
            throw error
        }
    }

    /// Gives up the pages that a transaction has changed.
    ///
    /// The transaction's draft for the log keeps the changes, unless the caller gives it up too.
    func leave(_ changes: LogChanges) {
        guard let change = changes.direct else { return }
        changes.leaveDirect()
        // In a forked child, the file and the lock belong to the parent, and the memory is empty.
        guard core.entrance.isOriginal else { return }
        trees.giveUp(change)
        trees.memories.takeBack(change.pages.memory)
        trees.unlock()
    }

    /// Commits the changed pages by one log frame, which names the new trees.
    ///
    ///     step      state if a crash follows
    ///     seal      the former commit; sealed pages in free space, which nothing names
    ///     flush     the same
    ///     append    the commit, unannounced: recovery or the next writer adopts it
    ///     flush     the same
    ///     post      a checkpoint of the commit
    func publish(
        _ change: TreeChange, of changes: LogChanges
    ) throws(BullaError) -> UInt64 {
        if changes.hasOutgrownLog, let sequence = changes.logSequence {
            try LogGrowth(core: core).growOtherHalf(change, from: sequence)
        }
        let record = try trees.seal(change)
        defer {
            change.pages.writer.drop()
            trees.memories.takeBack(change.pages.memory)
            trees.unlock()
        }
        try changes.publish(root: record) { root throws(BullaError) in
            try core.metaWriter.postUnderLock(root)
        }
        core.board.words.add(1, WorldLayout.commits)
        ChangeSealing(change: change).keepPages()
        core.snapshots.forget()
        return record.commit
    }
}
