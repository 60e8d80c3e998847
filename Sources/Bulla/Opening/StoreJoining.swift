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
        if options.access != .readWrite, try isForReaders() {
            return try read(among: .readers, cannotMakeWorld: !parts.isWritable)
        }
        guard let world = try findWorld() else { return nil }
        // Everyone who uses a world holds its byte shared; if nobody does, this file is a leftover.
        guard try file.isLocked(world.lockByte, against: .exclusive) else { return nil }
        _ = try file.lock(world.lockByte, .shared)
        return try join(world)
    }

    /// The same of a store that nobody has open and that was closed cleanly; `nil` of any other.
    func joinIfClean() throws(BullaError) -> StoreCore? {
        guard parts.isWritable, parts.damagedHeader == nil, parts.keyring?.copiesAgree ?? true,
            try parts.file.lock(LockByte.presence, .exclusive), try isInPlace(),
            let clean = CleanClose(try MetaSlots(parts).readAll()), try isLogEmpty(clean.record),
            let world = try? World.make(parts, try Random.identifier())
        else { return nil }
        do throws(BullaError) { return try begin(world) } catch {
            // Something else is damaged, such as the file's length.
            guard error.code == .corrupted else { throw error }
            return nil
        }
    }

    /// Whether the log has nothing that the trees of a commit lack.
    private func isLogEmpty(_ record: CommitRecord) throws(BullaError) -> Bool {
        let (log, start) = (try LogParts(parts, record), LogPosition(record))
        do throws(BullaError) {
            var follower = try LogFollower(log.log, log.keys, at: start)
            return try follower.follow(to: start.commit + 1, DroppedCommits()) != .reached
        } catch {
            guard error.code == .corrupted else { throw error }
            return false
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
            try parts.giveUpUnnamedSecret(core.board)
            // A history forks only under an opener that is alone: in one world there is one.
            try parts.useKeys(of: core.board.checkpoint())
            if parts.isWritable {
                try core.flusher.takeUpNewer(to: "open")
            } else if try core.flusher.hasNewer() {
                // A flush is under way, or was cut short, and one that may write has to end it.
                StoreClosing(core: core).abandon()
                return nil
            }
            let checkpoint = try core.board.checkpoint()
            if let keyring = parts.keyring, keyring.generation < checkpoint.keyringGeneration,
                try !keyring.isUnchanged(in: parts.file)
            {
                // Changed since it was read: the keyring of now may have the same way in.
                StoreClosing(core: core).abandon()
                return nil
            }
            try parts.keyring?.check(checkpoint, path: parts.path)
            try flushName(world)
            try LogOpening(core: core).join(in: world)
        } catch {
            StoreClosing(core: core).abandon()
            throw error
        }
        return core
    }

    /// Reads without a coordination file, and writes nothing.
    ///
    /// Presence is held, unless nobody is to be told: so nobody writes before this one is closed.
    ///
    /// - Parameters:
    ///   - company: who else may be there.
    ///   - cannotMakeWorld: whether this reader is unable to make a world. Only such readers keep
    ///     others from making one; otherwise readers that could make one would keep each other from
    ///     it for ever.
    private func read(
        among company: ReadingFile.Company, cannotMakeWorld: Bool = true
    ) throws(BullaError) -> StoreCore {
        if case .readers = company {
            let byte = cannotMakeWorld ? LockByte.looking : LockByte.lookingToo
            _ = try parts.file.lock(byte, .shared)
        }
        var parts = parts
        parts.file = ReadingFile(parts.file, among: company)
        parts.isWritable = false
        let world = try World.makeOwn(parts, try Random.identifier())
        let core = try makeCore(world, parts)
        do throws(BullaError) {
            let record = try Recovery(core: core).look()
            try core.board.begin(record)
            try LogOpening(core: core).begin(in: world)
            try core.trees.adoptRecoveredRoot()
            return core
        } catch {
            StoreClosing(core: core).abandon()
            throw error
        }
    }

    /// Whether what was read before the lock was had still holds.
    private func isInPlace() throws(BullaError) -> Bool {
        // First: whoever replaces the secret from here on knows of this one.
        if let secret = parts.ciphers.secret { try parts.holdSecret(secret.all.firstEpoch) }
        guard try parts.storage.identity(of: parts.path) == parts.file.identity else {
            return false
        }
        return try parts.keyring?.isUnchanged(in: parts.file) ?? true
    }

    private func makeCore(_ world: World, _ parts: StoreParts) throws(BullaError) -> StoreCore {
        let pager = try Pager(
            file: parts.file, ciphers: parts.ciphers, cacheByteLimit: options.cacheByteLimit)
        let board = CommitBoard(world, parts)
        let sentinel = ForkSentinel()
        let writerLock = WriterLock(
            file: parts.file, words: world.words, place: .writer, sentinel: sentinel)
        let flusher = try Flusher(parts, board, writerLock, timeout: options.lockTimeout)
        return try StoreCore(
            parts, options, pager: pager, world: world, board: board, writerLock: writerLock,
            flusher: flusher, sentinel: sentinel)
    }

    // MARK: Alone

    private func begin() throws(BullaError) -> StoreCore {
        let world: World
        do throws(BullaError) { world = try World.make(parts, try Random.identifier()) } catch {
            let isForReading =
                options.access != .readWrite && (error.code == .full || error.isOfPermission)
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
        let core: StoreCore
        do throws(BullaError) {
            if world.isShared { _ = try parts.file.lock(world.lockByte, .shared) }
            core = try makeCore(world, parts)
        } catch {
            try? world.remove(parts.storage)
            throw error
        }
        do throws(BullaError) {
            let (found, isClean) = try Recovery(core: core).run()
            try flushName(world)
            try core.board.begin(found)
            try LogOpening(core: core).begin(in: world)
            core.board.words.storeRelease(found.sealedCount, WorldLayout.seals)
            try core.trees.adoptRecoveredRoot()
            if !isClean { _ = try parts.file.lock(LockByte.recovering, .none) }
            if options.access == .readWrite {
                try repairHeader()
                try repairKeyEpochs(core, found)
            }
            try KeyringChange(core: core).finish()
            // From exclusive to shared in one step: nobody can come in between.
            if world.isShared { _ = try parts.file.lock(LockByte.presence, .shared) }
            return core
        } catch {
            // First the coordination file, then the lock: the next one makes its own.
            try? world.remove(parts.storage)
            StoreClosing(core: core).abandon()
            throw error
        }
    }

    /// Sees to it that the disk has the file's name before a commit is promised under it: its maker
    /// may have died too early.
    ///
    /// The first opener that may write does it for all; one that only reads has no need of it.
    private func flushName(_ world: World) throws(BullaError) {
        guard options.access == .readWrite, world.words.loadAcquire(WorldLayout.nameFlushed) == 0
        else {
            return
        }
        try parts.storage.flushFolder(of: parts.path)
        world.words.storeRelease(1, WorldLayout.nameFlushed)
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

extension StoreJoining {
    /// Writes a damaged copy of the table of key epochs anew: without either copy the store's pages
    /// open under no key.
    private func repairKeyEpochs(
        _ core: StoreCore, _ record: CommitRecord
    ) throws(BullaError) {
        let copies = KeyEpochCopies(parts)
        let damaged = try copies.damaged(for: record)
        guard !damaged.isEmpty else { return }
        try copies.mend(for: record)
        try core.flusher.flushAsLeader()
        options.logger?.warning(
            "a copy of the table of key epochs was damaged, and was written anew",
            metadata: ["store": "\(parts.path)"])
    }
}
