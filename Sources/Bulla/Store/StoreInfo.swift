internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// What there is to say of an open store.
public struct StoreInfo: Sendable, Codable {
    /// The file's whole path, symbolic links resolved.
    public let path: String
    /// The format of its file.
    public let formatVersion: Int
    /// Bytes of a page.
    public let pageByteCount: Int
    /// The cipher suite's name, or "plain".
    public let suite: String
    /// Whether its pages are encrypted.
    public let isEncrypted: Bool
    /// What tells its file from all others, in hexadecimal digits.
    public let fileIdentifier: String
    /// What tells its history from another that began as this one did, in hexadecimal digits.
    public let historyIdentifier: String
    /// The newest published commit.
    public let commit: UInt64
    /// The newest commit that survives power loss.
    public let durableCommit: UInt64
    /// The newest commit whose changes are all in the trees; those of later commits are in the log.
    public let checkpointCommit: UInt64
    /// Length of the file in bytes.
    public let fileByteCount: Int
    /// Pages of the file that were ever used.
    public let pageCount: Int
    /// Pages that may be used again.
    public let freePageCount: Int
    /// Pages that were given up, and may still be needed by a snapshot or after a crash.
    public let pendingPageCount: Int
    /// Pages that the trees use.
    ///
    /// The log's halves are not counted, so live, free and pending pages do not add up to
    /// ``pageCount``.
    public let livePageCount: Int
    /// Which data key is in use.
    public let keyEpoch: UInt32
    /// Named trees.
    public let treeCount: Int
    /// How long the log is, and how much of it the trees lack.
    public let log: Log
    /// Snapshots that are open now, of all processes.
    public let snapshotCount: Int
    /// The oldest commit whose trees one of them reads: pages freed since may have to wait for it.
    ///
    /// A snapshot reads the trees of the newest checkpoint, and what the log says over them. So the
    /// number is no greater than ``checkpointCommit``, however new the snapshot is.
    public let oldestSnapshotCommit: UInt64?
    /// The number of the process that is writing now; `nil` if no process is.
    ///
    /// It is for people. A process in another container may have written down a number that belongs
    /// to a different process here.
    public let writerProcess: Int?
    /// Whether a flush has failed in some process: the store must be closed everywhere
    /// (``BullaError/Code/poisoned``).
    public let isPoisoned: Bool
    /// Whom this process shares the store with.
    public let sharing: Sharing
    /// Bytes that the disk has left for this user; `nil` where it does not say.
    public let availableByteCount: Int?
    /// How long a file this process may make (`ulimit -f`); `nil` where it has no limit.
    public let fileByteLimit: Int?
    /// What opening had to give up or to doubt, in this process; `nil` where nothing.
    public let recovery: String?
    /// Bytes that a key may have.
    public let keyByteLimit: Int
    /// Bytes that a value may have.
    public let valueByteLimit: Int

    /// The log of a store: what was committed since the last checkpoint, and room for more.
    public struct Log: Sendable, Codable {
        /// Bytes of both halves.
        public let byteCount: Int
        /// Bytes that both halves may grow to (``Store/limitLog(toBytes:)``).
        public let byteLimit: Int
        /// Bytes of it that are durable, and that no checkpoint has taken over into the trees.
        ///
        /// They hold back the half that they lie in: it is used again after the next checkpoint.
        public let waitingByteCount: Int
        /// Bytes of this process's memory in which it keeps what the log says, indexed.
        public let memoryByteCount: Int
    }

    /// Whom a process shares an open store with.
    public enum Sharing: String, Sendable, Codable {
        /// With whoever opens it.
        case everybody
        /// With readers alone: there is no coordination file, so nobody can write meanwhile.
        case readers
        /// With nobody: the disk has no room for a coordination file.
        case nobody
        /// With others who are not told, nor asked (`StoreOptions.Access.immutable`).
        case strangers
    }
}

/// Counts since the store was opened.
public struct StoreStatistics: Sendable, Codable {
    /// Commits of all processes that have the store open.
    public let commitCount: Int
    /// Flushes of all processes.
    public let flushCount: Int
    /// How often a commit of any process waited for another's flush.
    public let waitCount: Int
    /// Checkpoints of all processes, but for commits that wrote pages themselves.
    public let checkpointCount: Int
    /// How many seconds ago the last of them was made; `nil` where there was none.
    public let secondsSinceCheckpoint: Int?
    /// Pages that this process has sealed and written.
    public let sealedPageCount: Int
    /// Pages that this process has opened, or verified in place.
    public let openedPageCount: Int
    /// Bytes of pages that this process has written.
    public let writtenByteCount: Int
}

extension Store {
    /// What there is to say of the store now.
    ///
    /// - Throws: `readersFull`; `busy` where checkpoints of others overtake it for the whole of
    ///   ``StoreOptions/lockTimeout``; `outOfMemory`, `io`, `corrupted`, `replaced`, `closed`,
    ///   `usedAfterFork`.
    public var info: StoreInfo {
        get throws(BullaError) {
            try core.entrance.use { () throws(BullaError) in
                try core.entrance.checkUse()
                return try StoreInfo(of: core)
            }
        }
    }

    /// Counts that show how commits shared flushes, and what this process has done.
    public var statistics: StoreStatistics {
        get throws(BullaError) {
            try core.entrance.use { () throws(BullaError) in
                try core.entrance.checkUse()
                return StoreStatistics(of: core)
            }
        }
    }
}

extension StoreInfo {
    fileprivate init(of core: StoreCore) throws(BullaError) {
        let record = try core.board.checkpoint()
        let header = core.parts.header
        let snapshots = try core.slots.livingSnapshots().map(\.commit)
        let space = core.parts.file.space()
        // In this order: what becomes durable meanwhile is counted in both.
        let durable = try core.log.durableCommit()
        let newest = max(try core.log.newestCommit(), durable)
        self.init(
            path: core.parts.path, formatVersion: Int(PageFormat.version),
            pageByteCount: header.format.pageByteCount, suite: header.suiteName,
            isEncrypted: header.suite != .plain,
            fileIdentifier: Hexadecimal.text(header.fileIdentifier.bytes),
            historyIdentifier: Hexadecimal.text(record.history.bytes),
            commit: newest, durableCommit: durable, checkpointCommit: record.commit,
            fileByteCount: Int(clamping: try core.parts.file.byteCount()),
            pageCount: Int(clamping: record.pageCount),
            freePageCount: Int(clamping: record.freeCount + record.window.pageCount),
            pendingPageCount: Int(clamping: record.pendingCount),
            livePageCount: Int(clamping: record.liveCount(header.format)),
            keyEpoch: UInt32(clamping: record.keyEpoch),
            treeCount: Int(clamping: try Self.newestTreeCount(core)),
            log: try Log(record, header.format, core.log.demand()),
            snapshotCount: snapshots.count, oldestSnapshotCommit: snapshots.min(),
            writerProcess: core.writerLock.holdingProcess.map { Int(clamping: $0) },
            isPoisoned: core.board.poison.isKnown,
            sharing: Sharing(of: core),
            availableByteCount: space.availableByteCount.map { Int(clamping: $0) },
            fileByteLimit: space.fileByteLimit.map { Int(clamping: $0) },
            recovery: core.recovery.text,
            keyByteLimit: header.format.keyByteLimit,
            valueByteLimit: Int(PageFormat.valueByteLimit))
    }

    /// How many trees the newest published commit has.
    private static func newestTreeCount(_ core: StoreCore) throws(BullaError) -> UInt64 {
        let pinned = try PinnedRecord(core, .published)
        return pinned.record.treeCount &+ (try pinned.snapshot.addedTreeCount())
    }
}

extension StoreInfo.Log {
    fileprivate init(
        _ record: CommitRecord, _ format: PageFormat, _ log: StoreLog
    ) throws(BullaError) {
        func byteCount(_ pageCount: UInt64) -> Int { Int(clamping: format.offset(pageCount)) }
        let extent = record.log
        self.init(
            byteCount: byteCount(extent.even.count + extent.odd.count),
            byteLimit: byteCount(2 * extent.pageLimit),
            waitingByteCount: Int(clamping: try log.shared.byteCount()),
            memoryByteCount: log.memtables.byteCount)
    }
}

extension StoreStatistics {
    fileprivate init(of core: StoreCore) {
        let (words, counters) = (core.board.words, core.pager.counters)
        let checkpoints = words.loadAcquire(WorldLayout.checkpoints)
        // Others write the word, too: whatever it says, it is no later than now.
        let last = min(words.loadAcquire(WorldLayout.lastCheckpoint), SystemClock.seconds)
        self.init(
            commitCount: Int(clamping: words.loadAcquire(WorldLayout.commits)),
            flushCount: Int(clamping: words.loadAcquire(WorldLayout.flushes)),
            waitCount: Int(clamping: words.loadAcquire(WorldLayout.waits)),
            checkpointCount: Int(clamping: checkpoints),
            secondsSinceCheckpoint: checkpoints == 0
                ? nil : Int(clamping: SystemClock.seconds.subtractingOrZero(last)),
            sealedPageCount: Int(clamping: counters.sealedPageCount),
            openedPageCount: Int(clamping: counters.openedPageCount),
            writtenByteCount: Int(clamping: counters.writtenByteCount))
    }
}

extension StoreInfo.Sharing {
    /// Whom this process shares a store with.
    fileprivate init(of core: StoreCore) {
        if core.world.isShared {
            self = .everybody
        } else if core.parts.isWritable {
            self = .nobody
        } else {
            self = core.options.access == .immutable ? .strangers : .readers
        }
    }
}
