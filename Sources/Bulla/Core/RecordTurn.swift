internal import BullaMemory

/// The right to change the keys or the log's limit in the newest checkpoint's record.
///
/// Its holder has the lock on the trees; commits go on meanwhile.
///
/// The turn ends when the value is destroyed.
struct RecordTurn: ~Copyable {
    /// The newest checkpoint's record.
    let base: CommitRecord
    private let core: StoreCore

    /// - Parameter attempt: what the right is wanted for, for messages.
    init(_ core: StoreCore, to attempt: String = "change the keys of") throws(BullaError) {
        self.core = core
        try core.entrance.checkWritable()
        // The caller may be in a write transaction that needs this lock.
        try core.writerLock.checkTurn(attempt)
        base = try core.trees.lock()
    }

    deinit { core.trees.unlock() }

    /// Flushes what was written before, then names another keyring durably.
    ///
    ///     step       what a crash after it leaves
    ///     flush      the former keyring
    ///     name       one slot names the former keyring, the other slot the new one
    ///     repeat     both slots name the new keyring
    ///
    /// - Parameter adopt: called once the change stands, before it is named a second time.
    /// - Throws: `notYetDurable` if the change stands and somebody else held the flush lock for too
    ///   long; what flushing throws; what `adopt` throws.
    consuming func name(
        keyring generation: UInt64, adopt: () throws(BullaError) -> Void
    ) throws(BullaError) {
        var record = base
        record.keyringGeneration = generation
        try repost(record, for: record.commit, adopt)
    }

    /// Names another limit of the log, durably.
    ///
    /// - Throws: what flushing throws; then one slot may name the new limit already.
    consuming func name(logPageLimit: UInt64) throws(BullaError) {
        var record = base
        record.log.pageLimit = logPageLimit
        // No commit is made, so there is none to wait for.
        try repost(record, for: nil) { () throws(BullaError) in }
    }

    /// - Parameter commit: the commit that an error names once the record stands.
    private func repost(
        _ record: CommitRecord, for commit: UInt64?, _ adopt: () throws(BullaError) -> Void
    ) throws(BullaError) {
        try core.metaWriter.flushPages()
        try core.metaWriter.post(record)
        try adopt()
        try core.metaWriter.post(record, for: commit)
    }
}
