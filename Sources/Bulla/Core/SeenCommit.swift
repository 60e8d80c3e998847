/// What a snapshot saw, and when it began.
///
/// It is a class, because copying a struct would retain each of its members.
final class SeenCommit: Sendable {
    let moment: Moment
    let commit: UInt64
    let overlay: Overlay?
    let log: StoreLog
    private let visibility: SnapshotVisibility

    /// The records that were the newest when a snapshot began.
    ///
    /// Two snapshots that begin at the same moment see the same commit.
    struct Moment {
        /// The number of the checkpoint's record.
        let checkpoint: UInt64
        /// The number of the record that says how far the log is durable.
        let durable: UInt64
        /// How many times the memtables of this process had changed by then.
        let changes: UInt64
    }

    init(
        _ commit: UInt64, of moment: Moment, _ visibility: SnapshotVisibility, _ log: StoreLog,
        _ overlay: Overlay?
    ) {
        (self.commit, self.moment, self.visibility) = (commit, moment, visibility)
        (self.log, self.overlay) = (log, overlay)
    }

    /// Whether a new snapshot, over the checkpoint whose record has the number `checkpoint`, would
    /// see what this one saw.
    ///
    /// This compares unverified numbers from the boards with the numbers in ``moment``, which come
    /// from verified records.
    ///
    /// - Throws: `corrupted` if the coordination file names an older record than before.
    @inline(__always)
    func isNewest(
        over checkpoint: UInt64, _ visibility: SnapshotVisibility
    ) throws(BullaError) -> Bool {
        guard visibility == self.visibility, checkpoint == moment.checkpoint,
            try log.durableSequence() == moment.durable,
            log.memtables.changeCount == moment.changes
        else { return false }
        return visibility == .durable || log.shared.announcedCommit <= commit
    }
}
