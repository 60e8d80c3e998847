internal import BullaMemory

/// Tells all processes which checkpoint is the newest.
final class CheckpointBoard: Sendable {
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

    /// Forgets the keys of a discarded secret, which would otherwise be used for a later secret
    /// that begins with the same key epoch.
    func forgetKeys() { keys.forget() }

    /// Wipes the board's keys and buffers.
    ///
    /// Call it when no thread reads or posts any more. Afterwards, ``checkpoint()`` returns only a
    /// record that this process has verified before.
    func end() { keys.end() }

    /// The unverified number that the board gives for its newest record, for a cheap check.
    ///
    /// - Throws: `corrupted` when it is lower than one that this process has verified.
    @inline(__always)
    func claimed() throws(BullaError) -> UInt64 { try pair.claimed() }

    /// Posts a record.
    ///
    /// Call it under the flush lock, or as the only opener.
    func post(_ record: CommitRecord) throws(BullaError) { try pair.post(record) }

    /// Posts the first record of a world, as its only opener.
    func begin(_ record: CommitRecord) throws(BullaError) { try pair.begin(record) }

    /// The newest checkpoint's record.
    ///
    /// - Throws: `corrupted` if a stranger wrote to the coordination file.
    func checkpoint() throws(BullaError) -> CommitRecord { try pair.record() }

    /// Raises the word that says which record is the newest, if a newer one is whole in its cell.
    ///
    /// A writer spares the meta slot of the newest record, and writes the next record into the
    /// other slot. If the word stayed at an older record, the writer would overwrite the slot that
    /// was flushed last.
    ///
    /// Call it under the flush lock, or if no other process has the store open.
    func raise() throws(BullaError) { try pair.raise() }
}
