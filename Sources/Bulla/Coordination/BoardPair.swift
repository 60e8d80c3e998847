internal import BullaMemory
internal import Synchronization

/// The newest record of a kind: two cells, written alternately, and a word that says which is
/// newer.
///
/// Each process verifies a record once, before it uses it. After that, it only compares the
/// record's number with the word. It refuses a record that is older than one it has seen.
final class BoardPair<Record: BoardRecord>: Sendable {
    private let cell: BoardCell
    private let world: World
    private let words: SharedWords
    private let keys: BoardKeys
    private let known = KnownRecord<Record>()

    /// How many reads in a row can fail because other processes are writing to the cell; after that
    /// many, a stranger must have overwritten it.
    private let readLimit = 1000

    init(_ cell: BoardCell, _ world: World, _ keys: BoardKeys) {
        self.cell = cell
        self.world = world
        self.keys = keys
        words = world.words
    }

    /// The unverified number that the board gives for its newest record, for a cheap check.
    ///
    /// - Throws: `corrupted` if that number is lower than one that this process has verified.
    @inline(__always)
    func claimed() throws(BullaError) -> UInt64 {
        // Read the known number before the word. The word only grows, so if it is below the known
        // number, a stranger has set it back.
        let known = known.sequence
        let claimed = words.loadAcquire(cell.word)
        if claimed < known { throw scribbled() }
        return claimed
    }

    private func scribbled() -> BullaError {
        BullaError(
            .corrupted,
            "read \(world.path): its record is not what a process of this store wrote; "
                + "close the store everywhere and open it again")
    }

    /// Posts a record.
    ///
    /// Call it under the flush lock, or as the only opener.
    func post(_ record: Record) throws(BullaError) {
        let sequence = record.sequence
        try keys.seal(record, cell) { sealed throws(BullaError) in
            // Write the label first, so that no whole record ever lacks its label.
            words.storeRelease(sequence, cell.label(sequence))
            world.bytes.copy(sealed, to: cell.offset(sequence))
        }
        words.storeRelease(sequence, cell.word)
        known.remember(record, sequence)
    }

    /// Posts the first record of a world, as its only opener.
    func begin(_ record: Record) throws(BullaError) {
        invariant(known.sequence == 0, "the first record of a world comes before any other")
        try post(record)
    }

    /// The newest record of its kind.
    ///
    /// - Throws: `corrupted` if a stranger wrote to the coordination file.
    func record() throws(BullaError) -> Record {
        for attempt in 0..<readLimit {
            let sequence = try claimed()
            if let record = known.record(sequence) { return record }
            if let record = try read(sequence) {
                // A process that reads for the first time cannot tell whether a stranger set the
                // word back, so it looks for the next record too.
                if known.sequence == 0, try raise(from: sequence) { continue }
                known.remember(record, sequence)
                return record
            }
            // Other processes may have adopted a newer secret, so look for one from time to time.
            if attempt % 16 == 1, try keys.takeUpSuccessor() { continue }
            // Other processes may have posted two newer records after this process read the word,
            // and so have overwritten this cell. After a few tries, wait a little.
            if attempt > 8 { words.wait(while: sequence, cell.word, atMost: .microseconds(50)) }
        }
        throw scribbled()
    }

    /// Raises the word to the newest record that is whole in its cell.
    ///
    /// That record can be newer than the word says, if a process died before it raised the word, or
    /// a stranger set the word back.
    ///
    /// Call it under the flush lock.
    func raise() throws(BullaError) {
        // At most twice, because there are two cells.
        for _ in 0..<2 {
            guard try raise(from: record().sequence) else { return }
        }
    }

    /// Raises the word by one if the next record is already whole in its cell; otherwise returns
    /// `false`.
    private func raise(from sequence: UInt64) throws(BullaError) -> Bool {
        let next = sequence &+ 1
        // Usually the label shows that the cell still holds its older record; then that record is
        // not opened. Trusting the label costs nothing: a stranger that can forge it can also
        // overwrite the record.
        guard words.loadAcquire(cell.label(next)) == next, let later = try read(next) else {
            return false
        }
        // Raise the word only if it is unchanged: the holder of the flush lock may have raised it
        // further.
        _ = words.exchange(sequence, for: next, cell.word)
        known.remember(later, next)
        return true
    }

    private func read(_ sequence: UInt64) throws(BullaError) -> Record? {
        let shared = world.bytes.view.slice(cell.offset(sequence), BoardCell.sealedByteCount)
        return try keys.open(shared, cell, sequence)
    }
}

/// The newest record of a kind that this process has verified or written.
private final class KnownRecord<Record: Sendable>: Sendable {
    private let newest = Atomic<UInt64>(0)
    private let known = Mutex<Record?>(nil)

    var sequence: UInt64 { newest.load(ordering: .acquiring) }

    /// The newest known record, if its number is `sequence`.
    func record(_ sequence: UInt64) -> Record? {
        known.withLock { newest.load(ordering: .relaxed) == sequence ? $0 : nil }
    }

    func remember(_ record: Record, _ sequence: UInt64) {
        known.withLock { known in
            guard sequence >= newest.load(ordering: .relaxed) else { return }
            known = record
            newest.store(sequence, ordering: .releasing)
        }
    }
}
