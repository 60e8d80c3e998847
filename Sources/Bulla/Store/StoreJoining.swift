internal import BullaCipher
internal import BullaMemory
internal import Logging
internal import Synchronization

/// Taking part: as the first, who recovers and makes the coordination file, or beside those who are
/// there.
struct StoreJoining {
    let parts: StoreParts
    let key: StoreKey?
    let options: StoreOptions

    /// - Returns: `nil` when somebody is opening or closing at this moment: to be tried again.
    func join() throws(BullaError) -> StoreCore? {
        let file = parts.file
        if try file.lock(LockByte.presence, .exclusive) {
            guard try isInPlace() else { return nil }
            let core = try begin()
            // From exclusive to shared in one step: nobody can come in between.
            _ = try file.lock(LockByte.presence, .shared)
            return core
        }
        guard try file.lock(LockByte.presence, .shared), try isInPlace(),
            let world = try World.find(parts)
        else { return nil }
        // The world's makers hold a lock on its number: if nobody does, this file is a left-over.
        guard try file.isLocked(world.lockByte, against: .exclusive) else { return nil }
        _ = try file.lock(world.lockByte, .shared)
        let core = try makeCore(world)
        do throws(BullaError) {
            try core.flusher.checkPoison()
            try core.flusher.checkBoard()
            try core.flusher.takeUpNewer()
            try parts.keyring?.check(try core.board.record(.durable), path: parts.path)
            try options.anchor?.check(
                try core.board.record(.durable), of: parts.header, path: parts.path)
        } catch {
            core.abandon()
            throw error
        }
        return core
    }

    /// Whether what was read before the lock was had still holds.
    private func isInPlace() throws(BullaError) -> Bool {
        guard try parts.storage.identity(of: parts.path) == parts.file.identity else {
            return false
        }
        return try parts.keyring?.isUnchanged(in: parts.file) ?? true
    }

    private func makeCore(_ world: World) throws(BullaError) -> StoreCore {
        let pager = try Pager(
            file: parts.file, ciphers: parts.ciphers, cacheByteLimit: options.cacheByteLimit)
        let board = try CommitBoard(world, parts)
        let writerLock = WriterLock(file: parts.file, words: world.words)
        let flusher = try Flusher(parts, board, writerLock, pages: RecoveryWalk(pager))
        return try StoreCore(
            parts, options, pager: pager, world: world, board: board, writerLock: writerLock,
            flusher: flusher)
    }

    // MARK: Alone

    private func begin() throws(BullaError) -> StoreCore {
        let identifier = try Random.identifier()
        let world = try World.make(parts, identifier)
        return try begin(world)
    }

    private func begin(_ world: World) throws(BullaError) -> StoreCore {
        _ = try parts.file.lock(world.lockByte, .shared)
        let core = try makeCore(world)
        do throws(BullaError) {
            let record = try Recovery(core: core, options: options).run()
            // Its maker may have died before the disk had the file's name.
            try parts.storage.flushFolder(of: parts.path)
            try core.board.post(record, .published)
            try core.board.post(record, .durable)
            core.board.words.storeRelease(record.sealedCount, WorldLayout.seals)
            if let key { try KeyChange(core: core).finish(key) }
            return core
        } catch {
            // First the coordination file, then the lock: the next one makes its own.
            try? parts.storage.remove(world.path)
            core.abandon()
            throw error
        }
    }
}

/// Finds the newest commit that the file wholly has, and makes sure that the disk has it too.
struct Recovery {
    let core: StoreCore
    let options: StoreOptions

    private var file: any StorageFile { core.parts.file }

    func run() throws(BullaError) -> CommitRecord {
        let slots = try core.flusher.metas.readAll()
        guard let newest = slots.first else {
            throw BullaError(.corrupted, "open \(core.parts.path): both meta pages are damaged")
        }
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
            guard error.code == .corrupted,
                slots[1].commit >= newest.lastDurable
                    || PlantedBug.isPlanted(.fallBackPastConfirmed),
                slots[1].commit < newest.commit
            else { throw error }
            return try fallBack(to: slots[1], from: newest, because: error)
        }
    }

    /// The one meta page that verifies.
    ///
    /// The other one may have named a later commit, so from here on history is another.
    private func takeOnly(_ only: CommitRecord) throws(BullaError) -> CommitRecord {
        try check(only)
        if only.lastDurable != only.commit {
            try RecoveryWalk(core.pager).writeAgain(only, since: only.lastDurable)
        }
        note("the other meta page is damaged, and may have named a later commit", only)
        var record = only.forked(as: try Random.identifier())
        record.lastDurable = record.commit
        record.metaSlot = 1 - only.metaSlot
        record.flush += 1
        // So much may have been sealed by what the other one reserved.
        record.reservedCount += SealBudget.reservation
        return try rewrite(record)
    }

    /// Tells who opens, and who asks later, that recovery had to give something up or to doubt it.
    private func note(_ what: String, _ record: CommitRecord) {
        let text = "recovered at commit \(record.commit): \(what)"
        core.recoveryNote.withLock { $0 = text }
        options.logger?.warning("\(text)", metadata: ["store": "\(core.parts.path)"])
    }

    /// Refuses a commit that the file or the caller's anchor does not allow, before any byte is
    /// written.
    private func check(_ record: CommitRecord) throws(BullaError) {
        try options.anchor?.check(record, of: core.parts.header, path: core.parts.path)
        try core.parts.keyring?.check(record, path: core.parts.path)
        try checkLength(record)
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
        try core.flusher.metas.write(record)
        try file.flush()
        return counted(record)
    }

    /// How many pages a dead process has sealed is not known: all that it was allowed count.
    private func counted(_ record: CommitRecord) -> CommitRecord {
        var counted = record
        counted.sealedCount = max(record.sealedCount, record.reservedCount)
        return counted
    }

    /// The commit before, which was flushed before the newest was begun.
    private func fallBack(
        to older: CommitRecord, from newest: CommitRecord, because error: BullaError
    ) throws(BullaError) -> CommitRecord {
        try check(older)
        note("commit \(newest.commit) was never wholly written (\(error.message))", older)
        var record = older.forked(as: try Random.identifier())
        record.lastDurable = record.commit
        record.reservedCount = max(older.reservedCount, newest.reservedCount)
        record.keyEpoch = max(older.keyEpoch, newest.keyEpoch)
        record.keyringGeneration = max(older.keyringGeneration, newest.keyringGeneration)
        record.metaSlot = 1 - older.metaSlot
        record.flush = max(older.flush, newest.flush) + 1
        return try rewrite(record)
    }
}
