extension Store {
    /// The present moment, to be kept elsewhere and given when the store is opened again.
    ///
    /// - Throws: `notYetDurable` of a store that was opened for reading after a crash, whose newest
    ///   commit loss of power can still undo; `corrupted`, `replaced`, `closed`, `usedAfterFork`.
    public var anchor: Anchor {
        get throws(BullaError) {
            let entry = try core.entrance.enter()
            defer { core.entrance.leave(entry) }
            try core.entrance.checkUse()
            try core.recovery.checkFlushed("give an anchor of")
            // The record is a checkpoint's, and what is durable lies further.
            var newest = try core.board.checkpoint()
            newest.commit = try core.log.durableCommit()
            return Anchor(newest, of: core.parts.header)
        }
    }
}
