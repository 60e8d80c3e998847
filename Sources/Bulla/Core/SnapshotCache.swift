internal import BullaMemory

/// Keeps what the last snapshot in each reader line saw, for the next snapshot in the same line.
///
/// A reader line serves one snapshot at a time (``ReaderSlots``). Most snapshots begin when nothing
/// was committed since the one before. Such a snapshot finds its trees in its line, and the log's
/// changes after them here. So it takes no lock and allocates nothing. An entry belongs to the
/// thread that holds the line.
final class SnapshotCache: Sendable {
    private let slots: ReaderSlots
    /// Only the first lines have entries; snapshots in other lines always ask the log.
    private let entries = (0..<ReaderSlots.firstLineCount).map { _ in Entry() }

    private final class Entry: @unchecked Sendable {
        // `@unchecked`: only the thread that holds the line reads or writes it.
        var last: LastSnapshot?
    }

    /// What a snapshot saw, and when.
    ///
    /// It is a class, because copying a struct would retain each of its members.
    private final class LastSnapshot: Sendable {
        let moment: Moment
        let visibility: SnapshotVisibility
        let log: StoreLog
        let commit: UInt64
        let overlay: Overlay?

        init(
            _ pin: borrowing SnapshotPin, of moment: Moment, _ visibility: SnapshotVisibility,
            _ log: StoreLog
        ) {
            (self.moment, self.visibility, self.log) = (moment, visibility, log)
            (commit, overlay) = (pin.commit, pin.overlay)
        }
    }

    /// The records that were the newest when a snapshot began.
    ///
    /// Two snapshots that begin at the same moment see the same commit.
    struct Moment: Equatable {
        /// The number of the checkpoint's record.
        let checkpoint: UInt64
        /// The number of the record that says how far the log is durable.
        let durable: UInt64
        /// How many times the memtables of this process had changed.
        let changes: UInt64
    }

    init(_ slots: ReaderSlots) { self.slots = slots }

    /// The moment at which a snapshot begins, once it has claimed its trees.
    @inline(__always)
    func moment(_ trees: PinnedCommit, _ durable: UInt64, _ changes: UInt64) -> Moment {
        Moment(checkpoint: slots.stamp(trees.line), durable: durable, changes: changes)
    }

    /// What the previous snapshot in the same line saw; `nil` if anything has changed since.
    ///
    /// The durable record's number is not verified here, because the entry has the number of a
    /// record that was.
    ///
    /// - Throws: `corrupted` if the coordination file names an older durable record than before.
    @inline(__always)
    func pin(
        _ trees: PinnedCommit, _ visibility: SnapshotVisibility
    ) throws(BullaError) -> SnapshotPin? {
        guard let entry = entry(trees.line), let last = entry.last, last.visibility == visibility
        else { return nil }
        let durable = try last.log.shared.durableSequence()
        guard last.moment == moment(trees, durable, last.log.memtables.changeCount),
            visibility == .durable || last.log.shared.announcedCommit <= last.commit
        else { return nil }
        return SnapshotPin(trees: trees, commit: last.commit, overlay: last.overlay)
    }

    /// Keeps what a snapshot sees, for the next snapshot in its line.
    ///
    /// - Parameter moment: taken before the log was asked, so that it is never too new.
    func keep(
        _ pin: borrowing SnapshotPin, of moment: Moment, _ visibility: SnapshotVisibility,
        _ log: StoreLog
    ) {
        forgetOlder(than: log.memtables.changeCount)
        entry(pin.trees.line)?.last = LastSnapshot(pin, of: moment, visibility, log)
    }

    /// Drops what an ending snapshot saw, unless the next snapshot would see the same.
    @inline(__always)
    func end(_ line: Int) {
        guard let entry = entry(line), let last = entry.last, last.overlay != nil,
            last.moment.changes != last.log.memtables.changeCount
        else { return }
        entry.last = nil
    }

    /// Drops everything that no snapshot is using.
    ///
    /// Otherwise the cache would keep changes in memory that the trees have taken over.
    func forget() { forget { _ in true } }

    private func forgetOlder(than changes: UInt64) {
        // With a single reader line, the only entry is the one that `keep` is about to replace.
        guard slots.lineCount > 1 else { return }
        forget { $0.moment.changes < changes }
    }

    private func forget(where isOld: (LastSnapshot) -> Bool) {
        for (index, entry) in entries.prefix(slots.lineCount).enumerated() {
            slots.withFreeLine(index) {
                if let last = entry.last, isOld(last) { entry.last = nil }
            }
        }
    }

    @inline(__always)
    private func entry(_ line: Int) -> Entry? {
        let index = ReaderSlots.index(ofLine: line)
        return index < ReaderSlots.firstLineCount ? entries[index] : nil
    }
}
