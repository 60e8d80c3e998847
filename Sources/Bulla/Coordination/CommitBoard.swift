internal import BullaMemory

/// Where the newest published and the newest durable commit stand for all processes.
final class CommitBoard: Sendable {
    let words: SharedWords
    let seals: SealCount
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let keys: BoardKeys
    private let published: BoardPair<CommitRecord>
    private let durable: BoardPair<CommitRecord>

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
        cell == .published ? published : durable
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
    func raisePublished() throws(BullaError) { try published.raise() }

    /// The same for the durable word: a leader that flushes over an older record would write over
    /// the meta slot that was flushed last.
    ///
    /// To be called under the flush lock.
    func raiseDurable() throws(BullaError) { try durable.raise() }
}
