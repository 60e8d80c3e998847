internal import BullaMemory

/// What the last snapshot in each reader line of this process saw, for the next one to see.
///
/// Most snapshots begin where nothing was committed since the one before. Such a snapshot finds its
/// trees in its line (``ReaderSlots``), and here what the log says over them: it takes no lock and
/// asks for no memory. An entry belongs to the thread that has the line.
final class SnapshotCache: Sendable {
    private let slots: ReaderSlots
    private let entries = (0..<lineLimit).map { _ in Entry() }

    /// Snapshots in further lines begin without what came before them.
    private static let lineLimit = 64

    private final class Entry: @unchecked Sendable {
        // `@unchecked`: only the thread that has the line looks at it.
        var last: LastSnapshot?
    }

    /// What a snapshot has seen, and when.
    private struct LastSnapshot {
        let moment: Moment
        let visibility: Visibility
        let log: StoreLog
        let commit: UInt64
        let overlay: Overlay?
    }

    /// What there was when a snapshot began. While it is the same, so is what another one sees.
    struct Moment: Equatable {
        /// The checkpoint's record.
        let checkpoint: UInt64
        /// The record of how far the log is durable.
        let durable: UInt64
        /// What the process has read of the log, and committed to it.
        let changes: UInt64
    }

    init(_ slots: ReaderSlots) { self.slots = slots }

    /// The moment at which a snapshot begins over trees that it has claimed.
    ///
    /// - Throws: `corrupted` where the coordination file names an older record than before.
    @inline(__always)
    func moment(_ trees: PinnedCommit, _ log: StoreLog) throws(BullaError) -> Moment {
        // The changes come last: what they bring about is seen where the others say it.
        let durable = try log.shared.durableSequence()
        return Moment(
            checkpoint: slots.stamp(trees.line), durable: durable,
            changes: log.memtables.changeCount)
    }

    /// What the snapshot before saw in the same line, where nothing has changed since.
    @inline(__always)
    func pin(
        _ trees: PinnedCommit, _ visibility: Visibility
    ) throws(BullaError) -> SnapshotPin? {
        guard let entry = entry(trees.line), let last = entry.last,
            last.visibility == visibility, last.moment == (try moment(trees, last.log)),
            visibility == .durable || last.log.shared.announcedCommit <= last.commit
        else { return nil }
        return SnapshotPin(trees: trees, commit: last.commit, overlay: last.overlay)
    }

    /// Keeps what a snapshot sees for the next one in its line.
    ///
    /// - Parameter moment: from before the log was asked what it says.
    func keep(
        _ pin: borrowing SnapshotPin, of moment: Moment, _ visibility: Visibility,
        _ log: StoreLog
    ) {
        forgetOlder(than: moment)
        entry(pin.trees.line)?.last = LastSnapshot(
            moment: moment, visibility: visibility, log: log, commit: pin.commit,
            overlay: pin.overlay)
    }

    /// Lets go of what a snapshot that ends has seen, unless the next one sees the same.
    @inline(__always)
    func end(_ line: Int) {
        guard let entry = entry(line), let last = entry.last, last.overlay != nil,
            last.moment.changes != last.log.memtables.changeCount
        else { return }
        entry.last = nil
    }

    /// Lets go of all that no snapshot is seeing: it holds memory that the log could use again.
    func forget() { forget { _ in true } }

    private func forgetOlder(than moment: Moment) {
        // A line of its own is all that a process with one reader has.
        guard slots.lineCount > 1 else { return }
        forget { $0.moment.changes != moment.changes }
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
        return index < Self.lineLimit ? entries[index] : nil
    }
}
