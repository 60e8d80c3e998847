internal import BullaMemory

/// The right to change the keys or the log's limit in the newest checkpoint's record.
///
/// The holder of the turn has the lock on the trees; commits to the log go on meanwhile.
///
/// The turn ends when the value is destroyed.
struct RecordTurn: ~Copyable {
    /// The newest checkpoint's record.
    let base: CommitRecord
    private let core: StoreCore

    /// - Parameter attempt: what the caller wants to do, for messages.
    init(_ core: StoreCore, to attempt: String = "change the keys of") throws(BullaError) {
        self.core = core
        try core.entrance.checkWritable()
        // A caller that is in a write transaction could wait for itself, because the transaction
        // may hold the lock on the trees.
        try core.writerLock.checkTurn(attempt)
        base = try core.trees.lock()
    }

    deinit { core.trees.unlock() }

    /// Flushes the keyring that the caller has written, then makes the meta slots name it.
    ///
    ///     step       state if a crash follows
    ///     flush      the former keyring
    ///     name       one slot names the former keyring, the other slot the new one
    ///     repeat     both slots name the new keyring
    ///
    /// - Parameter adopt: called once one slot durably names the keyring, before the other slot
    ///   does.
    /// - Throws: `notYetDurable` if one slot names the keyring, but another thread or process then
    ///   held the flush lock for too long; what flushing throws; what `adopt` throws.
    consuming func name(
        keyring generation: UInt64, adopt: () throws(BullaError) -> Void
    ) throws(BullaError) {
        var record = base
        record.keyringGeneration = generation
        try repost(record, for: record.commit, adopt)
    }

    /// Makes the meta slots name another limit of the log, durably.
    ///
    /// - Throws: what flushing throws; one slot may already name the new limit in that case.
    consuming func name(logPageLimit: UInt64) throws(BullaError) {
        var record = base
        record.log.pageLimit = logPageLimit
        // No commit is made, so an error has no commit to name.
        try repost(record, for: nil) { () throws(BullaError) in }
    }

    /// - Parameter commit: the commit that an error names if one slot already names the record;
    ///   `nil` if no error names a commit.
    private func repost(
        _ record: CommitRecord, for commit: UInt64?, _ adopt: () throws(BullaError) -> Void
    ) throws(BullaError) {
        try core.metaWriter.flushPages()
        try core.metaWriter.post(record)
        try adopt()
        try core.metaWriter.post(record, for: commit)
    }
}
