internal import BullaMemory

/// The right to change what a store's record says beside its trees: which keyring it names, which
/// key epoch is in use, and how long the log may be.
///
///                  the right                 a change is
///     without log  the writer's lock         a commit
///     with a log   the lock on the trees     the newest checkpoint, named anew; no commit
///
/// It ends by going away.
struct RecordTurn: ~Copyable {
    /// What stands now.
    let base: CommitRecord
    private let core: StoreCore
    /// The commit that would be made; `nil` with a log.
    private let state: WriteState?

    /// - Parameter attempt: what the right is wanted for, for messages.
    init(_ core: StoreCore, to attempt: String = "change the keys of") throws(BullaError) {
        self.core = core
        if let log = core.log {
            try core.checkWritable()
            // It may be about to change the trees, and would wait for itself.
            try core.checkTurn(attempt)
            base = try core.lockTrees(of: log)
            state = nil
        } else {
            let state = try core.beginWrite()
            base = state.base
            self.state = state
        }
    }

    deinit {
        guard let state else { return core.treeLock.release() }
        if !state.isEnded { core.abort(state) }
    }

    /// Names another keyring, durably, once the disk has what was written before.
    ///
    ///     step       what a crash after it leaves
    ///     flush      the former keyring
    ///     commit     without a log: the former, or this one; with one: the other slot names it
    ///     repeat     both slots name it
    ///
    /// - Parameter adopt: called once the change stands, before it is named a second time.
    /// - Throws: `notYetDurable` where it stands and somebody else held the flush lock for too
    ///   long; what flushing throws; what `adopt` throws.
    consuming func name(
        keyring generation: UInt64, adopt: () throws(BullaError) -> Void
    ) throws(BullaError) {
        guard let state else {
            var record = base
            record.keyringGeneration = generation
            return try repost(record, adopt)
        }
        state.keyringGeneration = generation
        // Flushed first: no commit names a copy that the disk may not have.
        let commit = try core.publish(state, flushingPages: true)
        try adopt()
        try core.settle(commit, .full)
        // Once more, so that no recovery falls back to a commit that names the former keyring.
        let core = core
        try core.use { () throws(BullaError) in try core.flusher.leadAlways(for: commit) }
    }

    /// Names another limit of the log, durably.
    ///
    /// - Throws: what flushing throws.
    consuming func name(logPageLimit: UInt64) throws(BullaError) {
        var record = base
        record.log?.pageLimit = logPageLimit
        try repost(record) { () throws(BullaError) in }
    }

    private func repost(
        _ record: CommitRecord, _ adopt: () throws(BullaError) -> Void
    ) throws(BullaError) {
        try core.flusher.flushPages()
        try core.flusher.post(record)
        try adopt()
        try core.flusher.post(record, for: record.commit)
    }
}
