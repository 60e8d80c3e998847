/// What the meta slots of a store say that was closed cleanly: both name its commit, and the newer
/// one confirms it.
///
/// Then nothing has to be written to open it. The record that confirms is written only after the
/// other one was flushed; so the commit is durable, though the record that confirms it may be in
/// the kernel's page cache alone. The other one is taken for the one that was flushed last. To
/// who flushes first, the one that confirms is a newer meta slot than the board knows, as a dead
/// leader leaves it: it is written again and flushed before the other one is written over.
struct CleanClose {
    /// What the next commit builds on.
    let published: CommitRecord
    /// The record that certainly was flushed.
    let durable: CommitRecord

    /// - Returns: `nil` where recovery has something to do.
    init?(_ slots: [CommitRecord]) {
        guard slots.count == MetaPage.slotCount, let newest = slots.first, let former = slots.last,
            newest.lastDurable == newest.commit, former.commit == newest.commit,
            former.history == newest.history, former.metaSlot != newest.metaSlot
        else { return nil }
        published = newest.counted
        var durable = PlantedBug.isPlanted(.confirmationTrusted) ? newest : former
        // What was reserved and not used was given back: it must not be used on the strength of
        // the older record.
        durable.sealedCount = published.sealedCount
        durable.reservedCount = newest.reservedCount
        durable.keyEpoch = newest.keyEpoch
        self.durable = durable
    }

    /// What recovery has found and made durable.
    init(recovered record: CommitRecord) {
        published = record
        durable = record
    }
}

extension CommitRecord {
    /// Whether it says no more than that another's commit is durable.
    func confirms(_ other: CommitRecord) -> Bool {
        commit == other.commit && lastDurable == commit && history == other.history
            && keyEpoch == other.keyEpoch && keyringGeneration == other.keyringGeneration
    }

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
