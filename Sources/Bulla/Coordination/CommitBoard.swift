internal import BullaMemory

/// Where the newest checkpoint stands for all processes.
final class CommitBoard: Sendable {
    let words: SharedWords
    let seals: SealCount
    /// Whether a flush has failed.
    let poison: FlushPoison
    private let keys: BoardKeys
    private let pair: BoardPair<CommitRecord>

    init(_ world: World, _ store: StoreParts) {
        words = world.words
        seals = SealCount(world.words)
        poison = FlushPoison(world.words, path: store.path)
        keys = BoardKeys(world, store)
        pair = BoardPair(.checkpoint, world, keys)
    }

    /// Forgets keys of a secret that was given up: the next one may begin with the same key epoch.
    func forgetKeys() { keys.forget() }

    /// Wipes the board's keys and buffers.
    ///
    /// To be called when nobody reads or posts: only what is known is answered then.
    func end() { keys.end() }

    /// The sequence number that the board claims, for a quick look.
    ///
    /// - Throws: `corrupted` when it is lower than one that this process has verified.
    @inline(__always)
    func claimed() throws(BullaError) -> UInt64 { try pair.claimed() }

    /// Puts a record up.
    ///
    /// To be called under the flush lock, or by the only opener.
    func post(_ record: CommitRecord) throws(BullaError) { try pair.post(record) }

    /// Puts up the first record of a world, as its only opener.
    func begin(_ record: CommitRecord) throws(BullaError) { try pair.begin(record) }

    /// The newest checkpoint's record.
    ///
    /// - Throws: `corrupted` when the coordination file was written to by somebody else.
    func checkpoint() throws(BullaError) -> CommitRecord { try pair.record() }

    /// Raises the word to the newest record that is whole in its cell: over an older record, the
    /// next one would be written into the meta slot that was flushed last.
    ///
    /// To be called under the flush lock.
    func raise() throws(BullaError) { try pair.raise() }
}
