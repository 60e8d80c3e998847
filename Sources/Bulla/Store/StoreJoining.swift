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
        if case .immutable = options.access { return try read(among: .nobody) }
        let file = parts.file
        if parts.isWritable, try file.lock(LockByte.presence, .exclusive) {
            guard try isInPlace() else { return nil }
            return try begin()
        }
        guard try file.lock(LockByte.presence, .shared), try isInPlace() else { return nil }
        if options.isReadOnly, try isForReaders() { return try read(among: .readers) }
        guard let world = try findWorld() else { return nil }
        // The world's makers hold a lock on its number: if nobody does, this file is a left-over.
        guard try file.isLocked(world.lockByte, against: .exclusive) else { return nil }
        _ = try file.lock(world.lockByte, .shared)
        return try join(world)
    }

    /// The same of a store that nobody has open and that was closed cleanly; `nil` of any other.
    func joinIfClean() throws(BullaError) -> StoreCore? {
        guard parts.isWritable, parts.damagedHeader == nil, parts.keyring?.copiesAgree ?? true,
            try parts.file.lock(LockByte.presence, .exclusive), try isInPlace(),
            CleanClose(try MetaSlots(parts).readAll()) != nil,
            let world = try? World.make(parts, try Random.identifier())
        else { return nil }
        do throws(BullaError) { return try begin(world) } catch {
            // Something else is damaged, such as the file's length.
            guard error.code == .corrupted else { throw error }
            return nil
        }
    }

    /// Whether nobody writes, nor can begin to as long as presence is held: there is no world, and
    /// none can be made.
    private func isForReaders() throws(BullaError) -> Bool {
        guard try !parts.file.isLocked(LockByte.worlds, against: .exclusive) else { return false }
        if !parts.isWritable { return true }
        // Who could make a world does, unless somebody keeps it from that for long.
        if try parts.file.isLocked(LockByte.looking, against: .exclusive) { return true }
        return try parts.file.isLocked(LockByte.checking, against: .exclusive)
    }

    private func findWorld() throws(BullaError) -> World? {
        do throws(BullaError) { return try World.find(parts) } catch {
            guard error.isOfPermission else { throw error }
            throw BullaError(
                .io,
                "open \(parts.path): others have it open, and \(World.path(of: parts.path)), "
                    + "where a reader marks what it reads, cannot be written: \(error.message)",
                errno: error.errno)
        }
    }

    /// Takes part in a world whose lock is held.
    private func join(_ world: World) throws(BullaError) -> StoreCore? {
        var parts = parts
        if !parts.isWritable { parts.file = ReadingFile(parts.file, among: .writers) }
        let core = try makeCore(world, parts)
        do throws(BullaError) {
            try core.flusher.checkPoison()
            // A history forks only under an opener that is alone: in one world there is one.
            try parts.useKeys(of: core.board.record(.durable))
            try core.flusher.checkBoard()
            if parts.isWritable {
                try core.flusher.noteFormerCommits()
                try core.flusher.takeUpNewer()
            } else if try core.flusher.hasNewer() {
                // A flush is under way, or was cut short, and somebody who may write has to end it.
                core.abandon()
                return nil
            }
            try parts.keyring?.check(try core.board.record(.durable), path: parts.path)
            try options.anchor?.check(
                try core.board.record(.durable), of: parts.header, path: parts.path)
        } catch {
            core.abandon()
            throw error
        }
        return core
    }

    /// Reads without a coordination file, and writes nothing.
    ///
    /// Presence is held, unless nobody is to be told: so nobody writes before this one is closed.
    private func read(among company: ReadingFile.Company) throws(BullaError) -> StoreCore {
        if case .readers = company { _ = try parts.file.lock(LockByte.looking, .shared) }
        var parts = parts
        parts.file = ReadingFile(parts.file, among: company)
        parts.isWritable = false
        let core = try makeCore(try World.makeOwn(parts, try Random.identifier()), parts)
        do throws(BullaError) {
            let record = try Recovery(core: core, options: options).look()
            try core.board.post(record, .published)
            try core.board.post(record, .durable)
            return core
        } catch {
            core.abandon()
            throw error
        }
    }

    /// Whether what was read before the lock was had still holds.
    private func isInPlace() throws(BullaError) -> Bool {
        guard try parts.storage.identity(of: parts.path) == parts.file.identity else {
            return false
        }
        return try parts.keyring?.isUnchanged(in: parts.file) ?? true
    }

    private func makeCore(_ world: World, _ parts: StoreParts) throws(BullaError) -> StoreCore {
        let pager = try Pager(
            file: parts.file, ciphers: parts.ciphers, cacheByteLimit: options.cacheByteLimit)
        let board = try CommitBoard(world, parts)
        let writerLock = WriterLock(file: parts.file, words: world.words)
        let flusher = try Flusher(
            parts, board, writerLock, pages: RecoveryWalk(pager), timeout: options.lockTimeout)
        return try StoreCore(
            parts, options, pager: pager, world: world, board: board, writerLock: writerLock,
            flusher: flusher)
    }

    // MARK: Alone

    private func begin() throws(BullaError) -> StoreCore {
        let world: World
        do throws(BullaError) { world = try World.make(parts, try Random.identifier()) } catch {
            let isForReading = options.isReadOnly && (error.code == .full || error.isOfPermission)
            if isForReading {
                _ = try parts.file.lock(LockByte.presence, .shared)
                return try read(among: .readers)
            }
            guard error.code == .full else { throw explained(error) }
            return try beginAlone()
        }
        return try begin(world)
    }

    private func explained(_ error: BullaError) -> BullaError {
        guard error.isOfPermission else { return error }
        return BullaError(
            error.code,
            "\(error.message); who opens a store to write makes a file beside it: permit that, or "
                + "open it for reading", errno: error.errno)
    }

    /// Does without a coordination file, for which the disk has no room: presence stays exclusive,
    /// and nobody else can open the store before this one is closed.
    private func beginAlone() throws(BullaError) -> StoreCore {
        _ = try parts.file.lock(LockByte.alone, .exclusive)
        let core = try begin(try World.makeOwn(parts, try Random.identifier()))
        options.logger?.warning(
            "the disk has no room for a coordination file: nobody else can open the store",
            metadata: ["store": "\(parts.path)"])
        return core
    }

    private func begin(_ world: World) throws(BullaError) -> StoreCore {
        if world.isShared { _ = try parts.file.lock(world.lockByte, .shared) }
        let core = try makeCore(world, parts)
        do throws(BullaError) {
            let found = try Recovery(core: core, options: options).run()
            // Its maker may have died before the disk had the file's name.
            try parts.storage.flushFolder(of: parts.path)
            try core.board.post(found.published, .published)
            try core.board.post(found.durable, .durable)
            core.board.words.storeRelease(found.published.sealedCount, WorldLayout.seals)
            if !options.isReadOnly { try repairHeader() }
            if let key { try KeyChange(core: core).finish(key) }
            // From exclusive to shared in one step: nobody can come in between.
            if world.isShared { _ = try parts.file.lock(LockByte.presence, .shared) }
            return core
        } catch {
            // First the coordination file, then the lock: the next one makes its own.
            try? world.remove(parts.storage)
            core.abandon()
            throw error
        }
    }

    /// Writes the damaged copy of the header anew, from the other one, which the meta pages'
    /// authenticators have proven.
    private func repairHeader() throws(BullaError) {
        guard let copy = parts.damagedHeader else { return }
        let buffer = try Buffer.make(HeaderField.byteCount)
        let bytes = buffer.bytes.slice(0, HeaderField.byteCount)
        parts.header.write(bytes)
        try parts.file.write(bytes.view, at: UInt64(copy * PageFormat.copyDistance))
        try parts.file.flush()
        options.logger?.warning(
            "copy \(copy) of the header was damaged, and was written anew from the other one",
            metadata: ["store": "\(parts.path)"])
    }
}

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
            if newest.lastDurable != newest.commit {
                try RecoveryWalk(core.pager).verify(newest, since: newest.lastDurable)
                note("it was verified, but is durable only when somebody opens it to write", newest)
            }
        } catch {
            guard slots.count == MetaPage.slotCount, newest.lastDurable != newest.commit,
                mayFallBack(to: slots[1], from: newest, because: error)
            else { throw error }
            try check(slots[1])
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
        var record = only
        record.lastDurable = record.commit
        record.metaSlot = 1 - only.metaSlot
        record.flush += 1
        // So much may have been sealed by what the other one reserved.
        record.reservedCount += SealBudget.reservation
        return try rewrite(try fork(record))
    }

    /// The same commit as the first of a new history, which seals under keys of its own.
    private func fork(_ record: CommitRecord) throws(BullaError) -> CommitRecord {
        let fork = record.forked(as: try Random.identifier())
        return try KeyEpochCopies(core.parts).begin(fork, from: record)
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
