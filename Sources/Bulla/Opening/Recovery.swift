internal import BullaCipher
internal import BullaMemory
internal import Logging
internal import Synchronization

/// Finds the newest commit that the file wholly has, and makes sure that the disk has it too.
struct Recovery {
    let core: StoreCore
    let options: StoreOptions

    private var file: any StorageFile { core.parts.file }

    func run() throws(BullaError) -> CleanClose {
        let slots = try core.flusher.metas.readAll()
        if let clean = CleanClose(slots) {
            try check(clean.published)
            return clean
        }
        _ = try file.lock(LockByte.recovering, .exclusive)
        let record = try recover(slots)
        _ = try file.lock(LockByte.recovering, .none)
        return CleanClose(recovered: record)
    }

    private func newest(_ slots: [CommitRecord]) throws(BullaError) -> CommitRecord {
        guard let newest = slots.first else {
            throw BullaError(.corrupted, "open \(core.parts.path): both meta pages are damaged")
        }
        return newest
    }

    /// Finds the newest commit as well, and writes nothing: what it finds may be in the kernel's
    /// page cache alone.
    func look() throws(BullaError) -> CommitRecord {
        let slots = try core.flusher.metas.readAll()
        let newest = try newest(slots)
        do throws(BullaError) {
            try check(newest)
            // With a log, recovery of that tells what may be in the page cache alone.
            guard newest.log == nil else { return newest }
            if newest.lastDurable != newest.commit {
                try RecoveryWalk(core.pager).verify(newest, since: newest.lastDurable)
                core.isUnflushed.store(true, ordering: .releasing)
                note("it was verified, but is durable only when somebody opens it to write", newest)
            }
        } catch {
            guard slots.count == MetaPage.slotCount, newest.lastDurable != newest.commit,
                mayFallBack(to: slots[1], from: newest, because: error)
            else { throw error }
            try check(slots[1])
            core.isUnflushed.store(true, ordering: .releasing)
            note("commit \(newest.commit) was never wholly written", slots[1])
            return slots[1]
        }
        if slots.count != MetaPage.slotCount { note(Self.otherIsDamaged, newest) }
        return newest
    }

    private static let otherIsDamaged =
        "the other meta page is damaged, and may have named a later commit"

    /// Whether recovery may take the commit before: the newest was never wholly written, and never
    /// confirmed.
    private func mayFallBack(
        to older: CommitRecord, from newest: CommitRecord, because error: BullaError
    ) -> Bool {
        error.code == .corrupted && older.commit < newest.commit
            && (older.commit >= newest.lastDurable
                || PlantedBug.isPlanted(.fallBackPastConfirmed))
    }

    private func recover(_ slots: [CommitRecord]) throws(BullaError) -> CommitRecord {
        let newest = try newest(slots)
        if newest.log != nil { return try finish(newest, slots) }
        guard slots.count == MetaPage.slotCount else { return try takeOnly(newest) }
        let isConfirmed = newest.lastDurable == newest.commit
        guard !isConfirmed || PlantedBug.isPlanted(.fallBackPastConfirmed) else {
            // Confirmed: no older commit may take its place, and its pages were flushed before. But
            // the page that says so may be in the kernel's page cache alone.
            try check(newest)
            return try rewrite(newest)
        }
        do throws(BullaError) { return try trust(newest) } catch {
            // A page that could not be read says nothing about what the disk has.
            guard !core.pager.hasFaulted else {
                throw BullaError(.io, "recover \(core.parts.path): the file could not be read")
            }
            guard mayFallBack(to: slots[1], from: newest, because: error) else { throw error }
            return try fallBack(to: slots[1], from: newest, because: error)
        }
    }

    /// The newest checkpoint.
    ///
    /// Its pages were on the disk before a slot named it, so none of them is looked at; and what
    /// came after it stands in the log, be a slot lost, which is then written anew. So nothing is
    /// fallen back from, and history does not fork.
    private func finish(
        _ newest: CommitRecord, _ slots: [CommitRecord]
    ) throws(BullaError) -> CommitRecord {
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
        guard slots[1].commit != newest.commit || slots[1].log?.halves != newest.log?.halves else {
            return found
        }
        return try rewrite(newest.confirmation)
    }

    /// The one meta page that verifies.
    ///
    /// The other one may have named a later commit, so from here on history is another.
    private func takeOnly(_ only: CommitRecord) throws(BullaError) -> CommitRecord {
        try check(only)
        if only.lastDurable != only.commit {
            try RecoveryWalk(core.pager).writeAgain(only, since: only.lastDurable)
            // By itself: who finds the record below believes that this one is durable.
            _ = try rewrite(only)
        }
        note(Self.otherIsDamaged, only)
        return try rewrite(try fork(only.replacingOther))
    }

    /// The same commit as the first of a new history, which seals under keys of its own.
    private func fork(_ record: CommitRecord) throws(BullaError) -> CommitRecord {
        let fork = try KeyEpochCopies(core.parts).begin(
            record.forked(as: try Random.identifier()), from: record)
        if core.parts.ciphers.secret != nil, fork.keyEpoch == record.keyEpoch {
            let text =
                "the table of key epochs is full: this history seals under the key of the one that "
                + "it forked from; make a copy under new keys (compact)"
            options.logger?.warning("\(text)", metadata: ["store": "\(core.parts.path)"])
        }
        return fork
    }

    private func note(_ what: String, _ record: CommitRecord) {
        core.noteRecovery(of: record.commit, what)
    }

    /// Refuses a commit that the file or the caller's anchor does not allow, before any byte is
    /// written.
    private func check(_ record: CommitRecord) throws(BullaError) {
        // With a log, what it says after this record counts too.
        if record.log == nil { try core.checkAnchor(record) }
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
    private func trust(_ record: CommitRecord) throws(BullaError) -> CommitRecord {
        try check(record)
        if !PlantedBug.isPlanted(.pagesNotVerified) {
            try RecoveryWalk(core.pager).writeAgain(record, since: record.lastDurable)
        }
        return try rewrite(record)
    }

    private func rewrite(_ record: CommitRecord) throws(BullaError) -> CommitRecord {
        try KeyEpochCopies(core.parts).mend(for: record)
        try core.flusher.metas.write(record)
        try core.flusher.flushAsLeader()
        return record.counted
    }

    /// The commit before, which was flushed before the newest was begun.
    private func fallBack(
        to older: CommitRecord, from newest: CommitRecord, because error: BullaError
    ) throws(BullaError) -> CommitRecord {
        try check(older)
        note("commit \(newest.commit) was never wholly written (\(error.message))", older)
        var record = older
        record.lastDurable = record.commit
        record.reservedCount = max(older.reservedCount, newest.reservedCount)
        record.keyEpoch = max(older.keyEpoch, newest.keyEpoch)
        record.keyringGeneration = max(older.keyringGeneration, newest.keyringGeneration)
        record.metaSlot = 1 - older.metaSlot
        record.flush = max(older.flush, newest.flush) + 1
        return try rewrite(try fork(record))
    }
}

extension CommitRecord {
    /// The same commit for the other slot, which was lost.
    fileprivate var replacingOther: CommitRecord {
        var record = confirmation
        // So much may have been sealed by what that one reserved.
        record.reservedCount += SealBudget.reservation
        return record
    }
}
