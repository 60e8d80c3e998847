internal import BullaMemory
internal import Synchronization

/// Where the newest published and the newest durable commit stand for all processes.
final class CommitBoard: Sendable {
    let words: SharedWords
    let seals: SealCount
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let keys: BoardKeys
    private let published: BoardPair<CommitRecord>
    private let durable: BoardPair<CommitRecord>
    /// Whether commits stand in a log: then a record is a checkpoint's, and published once it is
    /// durable.
    private let isOfLog = Atomic(false)

    init(_ world: World, _ store: StoreParts) {
        words = world.words
        seals = SealCount(world.words)
        poison = FlushPoison(world.words, path: store.path)
        keys = BoardKeys(world, store)
        published = BoardPair(.published, world, keys)
        durable = BoardPair(.durable, world, keys)
    }

    /// Forgets keys of a secret that was given up: the next one may begin with the same key epoch.
    func forgetKeys() { keys.forget() }

    /// Wipes the board's keys and buffers.
    ///
    /// To be called when nobody reads or posts: only what is known is answered then.
    func end() { keys.end() }

    @inline(__always)
    private func pair(_ cell: BoardCell) -> BoardPair<CommitRecord> {
        cell == .published && !hasLog ? published : durable
    }

    @inline(__always)
    var hasLog: Bool { isOfLog.load(ordering: .relaxed) }

    /// Puts up what a store begins with, as the only opener.
    func begin(_ published: CommitRecord, durable record: CommitRecord) throws(BullaError) {
        isOfLog.store(record.log != nil, ordering: .relaxed)
        if !hasLog { try post(published, .published) }
        try post(record, .durable)
    }

    /// Learns whether there is a log, from those that have the store open.
    func join() throws(BullaError) {
        isOfLog.store(try durable.record().log != nil, ordering: .relaxed)
    }

    /// The number of the newest commit that is published, for a quick look.
    @inline(__always)
    func newestCommit() throws(BullaError) -> UInt64 {
        hasLog ? try durable.record().commit : try published.claimed()
    }

    /// The sequence number that the board claims, for a quick look.
    ///
    /// - Throws: `corrupted` when it is lower than one that this process has verified.
    @inline(__always)
    func claimed(_ cell: BoardCell) throws(BullaError) -> UInt64 { try pair(cell).claimed() }

    /// Puts a record up.
    ///
    /// To be called under the lock of its kind: the writer's, or the flush lock.
    func post(_ record: CommitRecord, _ cell: BoardCell) throws(BullaError) {
        try pair(cell).post(record)
    }

    /// The newest record of its kind.
    ///
    /// - Throws: `corrupted` when the coordination file was written to by somebody else.
    func record(_ cell: BoardCell) throws(BullaError) -> CommitRecord { try pair(cell).record() }

    /// Raises the published word to the newest record that is whole in its cell.
    ///
    /// A writer that built on the commit before it would give the next commit the same number, and
    /// the one that waits for that number to be durable would be told so of another's.
    ///
    /// To be called under the writer's lock.
    func raisePublished() throws(BullaError) {
        if !hasLog { try published.raise() }
    }

    /// The same for the durable word: a leader that flushes over an older record would write over
    /// the meta slot that was flushed last.
    ///
    /// To be called under the flush lock.
    func raiseDurable() throws(BullaError) { try durable.raise() }
}
