/// What the meta slots of a store say that was closed cleanly: both name its newest checkpoint, and
/// the newer one confirms it.
///
/// Then nothing has to be written to open it. The record that confirms may be in the kernel's page
/// cache alone, where the process died that wrote it; but the other one was flushed before, and is
/// written over only after a flush of the whole file.
struct CleanClose {
    /// What the newer slot says.
    let record: CommitRecord

    /// - Returns: `nil` where recovery has something to do.
    init?(_ slots: [CommitRecord]) {
        guard slots.count == MetaPage.slotCount, let newest = slots.first, let former = slots.last,
            newest.lastDurable == newest.commit, former.commit == newest.commit,
            former.history == newest.history, former.metaSlot != newest.metaSlot
        else { return nil }
        record = newest.counted
    }
}

extension CommitRecord {
    /// What confirms it in the other slot.
    var confirmation: CommitRecord {
        var record = self
        record.lastDurable = commit
        record.metaSlot = 1 - metaSlot
        record.flush += 1
        return record
    }

    /// The same where it is not known how many pages a dead process has sealed: all that it was
    /// allowed count.
    var counted: CommitRecord {
        var counted = self
        counted.sealedCount = max(sealedCount, reservedCount)
        return counted
    }
}
