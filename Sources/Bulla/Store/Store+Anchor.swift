extension Store {
    /// The store's newest durable state, to keep elsewhere and to pass when the store is opened
    /// again.
    ///
    /// - Throws: `notYetDurable` for a store that was opened for reading after a crash, because a
    ///   loss of power can still undo its newest commit; `corrupted`, `replaced`, `closed`,
    ///   `usedAfterFork`.
    public var anchor: Anchor {
        get throws(BullaError) {
            let entry = try core.entrance.enter()
            defer { core.entrance.leave(entry) }
            try core.entrance.checkUse()
            try core.recovery.checkFlushed("give an anchor of")
            // The board has the record of a checkpoint; the newest durable commit can be later.
            var newest = try core.board.checkpoint()
            newest.commit = try core.log.durableCommit()
            return Anchor(newest, of: core.parts.header)
        }
    }
}
