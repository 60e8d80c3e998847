internal import BullaMemory

/// The right to change the keys or the log's length in the newest checkpoint's record.
///
/// Its holder has the lock on the trees; commits go on.
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
        // The caller may be in a write that needs this lock.
        try core.writerLock.checkTurn(attempt)
        base = try core.trees.lock()
    }

    deinit { core.trees.unlock() }

    /// Names another keyring, durably, once the disk has what was written before.
    ///
    ///     step       what a crash after it leaves
    ///     flush      the former keyring
    ///     name       one slot names the former one, the other this one
    ///     repeat     both slots name it
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
    /// - Throws: what flushing throws; then the limit may stand already, in one slot.
    consuming func name(logPageLimit: UInt64) throws(BullaError) {
        var record = base
        record.log.pageLimit = logPageLimit
        // No commit is made: there is none to wait for.
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
