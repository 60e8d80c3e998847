internal import BullaMemory

/// Keeps what the last snapshot in each reader line saw, for the next snapshot in the same line.
///
/// A reader line serves one snapshot at a time (``ReaderSlots``). Usually nothing has been
/// committed since the previous snapshot. Then a new snapshot takes no lock and allocates nothing:
/// its trees are in its line, and the changes that the log adds to these trees are in this cache.
/// An entry belongs to the thread that holds the line.
final class SnapshotCache: Sendable {
    private let slots: ReaderSlots
    /// Only the first lines have entries; snapshots in other lines always ask the log.
    private let entries = (0..<ReaderSlots.firstLineCount).map { _ in Entry() }

    private final class Entry: @unchecked Sendable {
        // `@unchecked`: only the thread that holds the line reads or writes its entry.
        var last: SeenCommit?
    }

    init(_ slots: ReaderSlots) { self.slots = slots }

    /// The moment at which a snapshot begins, once it has claimed its trees.
    @inline(__always)
    func moment(_ trees: PinnedCommit, _ durable: UInt64, _ changes: UInt64) -> SeenCommit.Moment {
        SeenCommit.Moment(
            checkpoint: slots.stamp(trees.line), durable: durable, changes: changes)
    }

    /// What the previous snapshot in the same line saw; `nil` unless a new one would see the same.
    ///
    /// - Throws: `corrupted` if the coordination file names an older record than before.
    @inline(__always)
    func pin(
        _ trees: PinnedCommit, _ visibility: SnapshotVisibility
    ) throws(BullaError) -> SnapshotPin? {
        guard let last = entry(trees.line)?.last,
            try last.isNewest(over: slots.stamp(trees.line), visibility)
        else { return nil }
        return SnapshotPin(trees: trees, commit: last.commit, overlay: last.overlay)
    }

    /// Whether a new snapshot would see the same as the one in a line; `false` if only the log can
    /// tell.
    ///
    /// - Throws: as ``pin(_:_:)``.
    @inline(__always)
    func isNewest(
        _ trees: PinnedCommit, _ commit: UInt64, _ visibility: SnapshotVisibility
    ) throws(BullaError) -> Bool {
        guard let last = entry(trees.line)?.last, last.commit == commit else { return false }
        return try last.isNewest(over: slots.newestStamp(), visibility)
    }

    /// Keeps what a snapshot sees, for the next snapshot in its line.
    func keep(_ seen: SeenCommit, _ trees: PinnedCommit) {
        forgetOlder(than: seen.log.memtables.changeCount)
        entry(trees.line)?.last = seen
    }

    /// Drops the changes that an ending snapshot saw, unless the next snapshot would see the same.
    @inline(__always)
    func end(_ line: Int) {
        guard let entry = entry(line), let last = entry.last, last.overlay != nil,
            last.moment.changes != last.log.memtables.changeCount
        else { return }
        entry.last = nil
    }

    /// Drops everything that no snapshot is using.
    ///
    /// Otherwise changes that the trees have taken over would stay in memory.
    func forget() { forget { _ in true } }

    private func forgetOlder(than changes: UInt64) {
        // With a single reader line, the only entry is the one that `keep` is about to replace.
        guard slots.lineCount > 1 else { return }
        forget { $0.moment.changes < changes }
    }

    private func forget(where isOld: (SeenCommit) -> Bool) {
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
