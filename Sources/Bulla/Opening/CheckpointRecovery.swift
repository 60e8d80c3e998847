internal import BullaCipher
internal import BullaMemory

/// Finds the newest checkpoint, and makes sure that the disk has it; the log holds what came after
/// it.
///
/// The checkpoint's pages were on the disk before a slot named it, so recovery reads none of them.
/// Even if a slot is lost, recovery never goes back to an older commit, and history does not fork.
struct CheckpointRecovery {
    let core: StoreCore

    private var file: any StorageFile { core.parts.file }

    /// Finds the newest checkpoint, and rewrites what may exist only in the page cache.
    ///
    /// If the store was not closed cleanly, this takes ``LockByte/recovering``. The caller releases
    /// this lock once it has read the log, which can take a while.
    func run() throws(BullaError) -> (record: CommitRecord, isClean: Bool) {
        let slots = try core.metaWriter.metas.readAll()
        if let clean = CleanClose(slots) {
            try check(clean.record)
            return (clean.record, true)
        }
        _ = try file.lock(LockByte.recovering, .exclusive)
        return (try recover(slots), false)
    }

    /// Finds the newest checkpoint, without writing anything.
    func look() throws(BullaError) -> CommitRecord {
        let slots = try core.metaWriter.metas.readAll()
        let newest = try newest(slots)
        try check(newest)
        if slots.count != MetaPage.slotCount { note("the other meta page is damaged", newest) }
        return newest
    }

    private func newest(_ slots: [CommitRecord]) throws(BullaError) -> CommitRecord {
        guard let newest = slots.first else {
            throw BullaError(.corrupted, "open \(core.parts.path): both meta pages are damaged")
        }
        return newest
    }

    private func recover(_ slots: [CommitRecord]) throws(BullaError) -> CommitRecord {
        let newest = try newest(slots)
        try check(newest)
        let found = try rewrite(newest)
        guard slots.count == MetaPage.slotCount else {
            note(
                "the other meta page was damaged, and is written anew; the log has what it named",
                newest)
            return try rewrite(newest.replacingOther)
        }
        // If the other slot names another checkpoint, write the newest one there too. Without that,
        // a later loss of the newest slot would make recovery read the log from the place that the
        // other checkpoint names. The frames there might not lead to the new commits: a checkpoint
        // can have a commit number of its own, and a half of the log may have moved.
        guard slots[1].commit != newest.commit || slots[1].log.halves != newest.log.halves else {
            return found
        }
        return try rewrite(newest.confirmation)
    }

    private func note(_ what: String, _ record: CommitRecord) {
        core.recovery.add(what, at: record.commit)
    }

    /// Throws, before any byte is written, if a commit does not fit the file.
    private func check(_ record: CommitRecord) throws(BullaError) {
        try core.parts.keyring?.check(record, path: core.parts.path)
        try checkLength(record)
        try core.parts.useKeys(of: record)
    }

    private func checkLength(_ record: CommitRecord) throws(BullaError) {
        let needed = core.parts.header.format.offset(record.pageCount)
        let found = try file.byteCount()
        guard found >= needed else {
            throw BullaError(
                .corrupted,
                "open \(core.parts.path): the file has \(found) bytes, "
                    + "commit \(record.commit) needs "
                    + "\(needed)", commit: record.commit)
        }
    }

    /// Makes durable what may exist only in the kernel's page cache.
    private func rewrite(_ record: CommitRecord) throws(BullaError) -> CommitRecord {
        try KeyEpochCopies(core.parts).mend(for: record)
        try core.metaWriter.metas.write(record)
        try core.metaWriter.flushAsLeader()
        return record.counted
    }
}

extension CommitRecord {
    /// This commit's record, in the form that replaces the record of the other slot, which was
    /// lost.
    fileprivate var replacingOther: CommitRecord {
        var record = confirmation
        // Add roughly what the lost slot had reserved. Up to two batches of sealed pages stay
        // uncounted, but the limit of 2^28 pages is far enough below NIST's 2^32 for that.
        record.reservedCount += SealBudget.reservation
        return record
    }
}
