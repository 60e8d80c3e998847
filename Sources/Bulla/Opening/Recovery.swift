internal import BullaCipher
internal import BullaMemory

/// Finds the newest checkpoint, and makes sure that the disk has it; what came after it stands in
/// the log.
///
/// Its pages were on the disk before a slot named it, so none of them is looked at. Even where a
/// slot is lost, recovery goes back to no older commit, and history does not fork.
struct Recovery {
    let core: StoreCore

    private var file: any StorageFile { core.parts.file }

    /// Finds the newest checkpoint, and writes anew what may be in the page cache alone.
    ///
    /// Where the store was not closed cleanly it takes ``LockByte/recovering``, which the caller
    /// gives up once it has read the log: that may take a while.
    func run() throws(BullaError) -> (record: CommitRecord, isClean: Bool) {
        let slots = try core.flusher.metas.readAll()
        if let clean = CleanClose(slots) {
            try check(clean.record)
            return (clean.record, true)
        }
        _ = try file.lock(LockByte.recovering, .exclusive)
        return (try recover(slots), false)
    }

    /// Finds the newest checkpoint as well, and writes nothing.
    func look() throws(BullaError) -> CommitRecord {
        let slots = try core.flusher.metas.readAll()
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
        // From the other one the log may lead nowhere, once it goes on: a checkpoint may have a
        // number of its own, and a half of the log another place.
        guard slots[1].commit != newest.commit || slots[1].log.halves != newest.log.halves else {
            return found
        }
        return try rewrite(newest.confirmation)
    }

    private func note(_ what: String, _ record: CommitRecord) {
        core.recovery.add(what, at: record.commit)
    }

    /// Refuses a commit that the file does not allow, before any byte is written.
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

    /// Makes durable what may be in the kernel's page cache alone.
    private func rewrite(_ record: CommitRecord) throws(BullaError) -> CommitRecord {
        try KeyEpochCopies(core.parts).mend(for: record)
        try core.flusher.metas.write(record)
        try core.flusher.flushAsLeader()
        return record.counted
    }
}

extension CommitRecord {
    /// The same commit for the other slot, which was lost.
    fileprivate var replacingOther: CommitRecord {
        var record = confirmation
        // Roughly what the lost slot had reserved; up to two batches of pages are not counted. The
        // limit of 2^28 is far enough below NIST's 2^32 for that.
        record.reservedCount += SealBudget.reservation
        return record
    }
}
