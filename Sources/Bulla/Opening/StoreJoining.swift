internal import BullaCipher
internal import BullaMemory
internal import Logging

/// Joins a store: as the first opener, which recovers it and makes the coordination file, or beside
/// the processes that already have it open.
struct StoreJoining {
    let parts: StoreParts
    let key: StoreKey?
    let options: StoreOptions

    /// - Returns: `nil` if the caller must try again: another process is opening or closing the
    ///   store, has replaced its file or its keyring, or has not yet flushed a checkpoint's record.
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
        // Every process that uses a world holds a shared lock on the world's byte; if nobody does,
        // the coordination file is a leftover.
        guard try file.isLocked(world.lockByte, against: .exclusive) else { return nil }
        _ = try file.lock(world.lockByte, .shared)
        return try join(world)
    }

    /// Joins a store that nobody has open, that was closed cleanly, and in which no damage is
    /// found; `nil` for any other store, or if this process cannot make a coordination file.
    func joinIfClean() throws(BullaError) -> StoreCore? {
        guard parts.isWritable, parts.damagedHeader == nil, parts.keyring?.copiesAgree ?? true,
            try parts.file.lock(LockByte.presence, .exclusive), try isInPlace(),
            let clean = CleanClose(try MetaSlots(parts).readAll()), try isLogEmpty(clean.record),
            let world = try? World.make(parts, try Random.identifier())
        else { return nil }
        do throws(BullaError) { return try begin(world) } catch {
            // Something that was not checked above is damaged, such as the file's length.
            guard error.code == .corrupted else { throw error }
            return nil
        }
    }

    /// Whether the trees of a commit already contain everything that is in the log.
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

    /// Whether no process can write while this one holds presence, because no process uses a world
    /// (coordination file), and none can begin to use one.
    private func isForReaders() throws(BullaError) -> Bool {
        guard try !parts.file.isLocked(LockByte.worlds, against: .exclusive) else { return false }
        if !parts.isWritable { return true }
        // This process can make a world, unless readers or a check prevent that.
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

    /// Joins a world whose lock this process holds.
    private func join(_ world: World) throws(BullaError) -> StoreCore? {
        var parts = parts
        if !parts.isWritable { parts.file = ReadingFile(parts.file, among: .writers) }
        let core = try makeCore(world, parts)
        do throws(BullaError) {
            try core.metaWriter.checkPoison()
            try parts.giveUpUnnamedSecret(core.board)
            // Only an opener that is alone forks a history. So the history, which determines the
            // keys, stays the same as long as a world lasts.
            try parts.useKeys(of: core.board.checkpoint())
            if parts.isWritable {
                try core.metaWriter.takeUpNewer(to: "open")
            } else if try core.metaWriter.hasNewer() {
                // A checkpoint's record is being flushed, or its writer has died. This process
                // cannot write, so it tries again: the flush may end, or another process may take
                // up the record.
                StoreClosing(core: core).abandon()
                return nil
            }
            let checkpoint = try core.board.checkpoint()
            if let keyring = parts.keyring, keyring.generation < checkpoint.keyringGeneration,
                try !keyring.isUnchanged(in: parts.file)
            {
                // The keyring has changed since this process read it. Try again: the key may open
                // the new keyring too.
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
    /// Unless the store is immutable, this process holds presence, so nobody writes before it
    /// closes the store.
    ///
    /// - Parameters:
    ///   - company: which other processes may have the store open.
    ///   - cannotMakeWorld: true if this reader is unable to make a world; false if it could make
    ///     one, but another reader or a check forbids it. Only a reader that is unable to make a
    ///     world forbids later readers to make one. If every reader did so, each could pass the ban
    ///     on to the next, and no reader would ever make a world.
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
            let record = try CheckpointRecovery(core: core).look()
            try core.board.begin(record)
            try LogOpening(core: core).begin(in: world)
            try core.trees.adoptRecoveredRoot()
            return core
        } catch {
            StoreClosing(core: core).abandon()
            throw error
        }
    }

    /// Whether what was read before the lock was taken is still true.
    private func isInPlace() throws(BullaError) -> Bool {
        // Do this first, so that a process that replaces the secret from now on knows that this
        // process still has the old one.
        if let secret = parts.ciphers.secret { try parts.holdSecret(secret.all.firstEpoch) }
        guard try parts.storage.identity(of: parts.path) == parts.file.identity else {
            return false
        }
        return try parts.keyring?.isUnchanged(in: parts.file) ?? true
    }

    func makeCore(_ world: World, _ parts: StoreParts) throws(BullaError) -> StoreCore {
        let pager = try Pager(
            file: parts.file, ciphers: parts.ciphers, cacheByteLimit: options.cacheByteLimit,
            shared: try sharedFrames(parts))
        let board = CheckpointBoard(world, parts)
        let sentinel = ForkSentinel()
        let writerLock = WriterLock(
            file: parts.file, words: world.words, place: .writer, sentinel: sentinel)
        let metaWriter = try MetaWriter(parts, board, writerLock, timeout: options.lockTimeout)
        return try StoreCore(
            parts, options, pager: pager, world: world, board: board, writerLock: writerLock,
            metaWriter: metaWriter, sentinel: sentinel)
    }

    /// The frames that this process shares with other workers, if the options name a page pool.
    private func sharedFrames(_ parts: StoreParts) throws(BullaError) -> SharedFrames? {
        guard let descriptor = options.pagePool else { return nil }
        let joining = PoolJoining(
            ciphers: parts.ciphers, path: parts.path, timeout: options.lockTimeout)
        return SharedFrames(try joining.join(descriptor), timeout: options.lockTimeout)
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
            "\(error.message); opening a store for writing makes a file beside it: permit that, "
                + "or open it for reading", errno: error.errno)
    }

    /// Begins without a coordination file, because the disk has no room for one.
    ///
    /// Presence stays exclusive, and nobody else can open the store before this process closes it.
    private func beginAlone() throws(BullaError) -> StoreCore {
        _ = try parts.file.lock(LockByte.alone, .exclusive)
        let core = try begin(try World.makeOwn(parts, try Random.identifier()))
        options.logger?.warning(
            "the disk has no room for a coordination file: nobody else can open the store",
            metadata: ["store": "\(parts.path)"])
        return core
    }
}
