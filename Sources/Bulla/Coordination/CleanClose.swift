/// The meta slots of a store that was closed cleanly: both name its newest checkpoint, which the
/// newer slot confirms.
///
/// Opening such a store writes nothing. If the closing process died after it wrote the newer slot,
/// that slot may be only in the page cache. The older slot is on the disk, and no process
/// overwrites it before a flush of the whole file.
struct CleanClose {
    /// The record of the newer slot.
    let record: CommitRecord

    /// - Returns: `nil` if recovery has something to do.
    init?(_ slots: [CommitRecord]) {
        guard slots.count == MetaPage.slotCount, let newest = slots.first, let former = slots.last,
            newest.lastDurable == newest.commit, former.commit == newest.commit,
            former.history == newest.history, former.metaSlot != newest.metaSlot
        else { return nil }
        record = newest.counted
    }
}

extension CommitRecord {
    /// The record that confirms this one, to be written into the other slot.
    var confirmation: CommitRecord {
        var record = self
        record.lastDurable = commit
        record.metaSlot = 1 - metaSlot
        record.flush += 1
        return record
    }

    /// This record, with all reserved pages counted as sealed, because a dead process left no count
    /// of those that it sealed.
    var counted: CommitRecord {
        var counted = self
        counted.sealedCount = max(sealedCount, reservedCount)
        return counted
    }
}
