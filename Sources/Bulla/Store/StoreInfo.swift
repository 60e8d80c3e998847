internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Properties and measures of an open store.
public struct StoreInfo: Sendable, Codable {
    /// The file's absolute path, with symbolic links resolved.
    public let path: String
    /// The format version of the file.
    public let formatVersion: Int
    /// The length of a page in bytes.
    public let pageByteCount: Int
    /// The cipher suite; `nil` for a plain store.
    public let suite: CipherSuite?
    /// Whether the pages are encrypted.
    public let isEncrypted: Bool
    /// The random identifier of the file, in hexadecimal digits.
    public let fileIdentifier: String
    /// The random identifier of the store's history, in hexadecimal digits.
    ///
    /// Histories that forked from one another have different identifiers.
    public let historyIdentifier: String
    /// The newest published commit.
    public let commit: UInt64
    /// The newest commit that survives a loss of power.
    public let durableCommit: UInt64
    /// The newest commit whose changes are all in the trees; those of later commits are in the log.
    public let checkpointCommit: UInt64
    /// The length of the file in bytes.
    public let fileByteCount: Int
    /// How many pages the store has, used or free; the file can be longer.
    public let pageCount: Int
    /// How many pages are free.
    public let freePageCount: Int
    /// How many pages were freed, but may still be needed by a snapshot or after a crash.
    public let pendingPageCount: Int
    /// How many pages the trees use.
    ///
    /// The log's halves are not counted, so live, free and pending pages do not add up to
    /// ``pageCount``.
    public let livePageCount: Int
    /// The key epoch in use, which selects the data key.
    public let keyEpoch: UInt32
    /// The number of named trees.
    public let treeCount: Int
    /// The length of the log, and how much of it must still be merged into the trees by a
    /// checkpoint.
    public let log: Log
    /// How many snapshots are open now, in all processes.
    public let snapshotCount: Int
    /// The oldest checkpoint that an open snapshot reads; `nil` if no snapshot is open.
    ///
    /// Until the snapshot ends, the store may be unable to reuse pages that were freed after that
    /// checkpoint. A new snapshot reads the newest checkpoint and the log, so this is never newer
    /// than ``checkpointCommit``.
    public let oldestSnapshotCommit: UInt64?
    /// The number of the process that is writing now; `nil` if no process is.
    ///
    /// It is only for people to read: a process in another container notes the number that it has
    /// there, and here that number may belong to a different process.
    public let writerProcess: Int?
    /// Whether a flush has failed in some process; if so, the store must be closed everywhere
    /// (``BullaError/Code/poisoned``).
    public let isPoisoned: Bool
    /// How this process shares the store with others.
    public let sharing: Sharing
    /// How many bytes the file system has left for this user; `nil` if unknown.
    public let availableByteCount: Int?
    /// The longest file that this process may make, in bytes (`ulimit -f`); `nil` if there is no
    /// limit.
    public let fileByteLimit: Int?
    /// What this process found damaged, or could not make durable, when it opened the store; `nil`
    /// if there was nothing.
    public let recoveryNote: String?
    /// How many bytes a key can have at most.
    public let keyByteLimit: Int
    /// How many bytes a value can have at most.
    public let valueByteLimit: Int

    /// The log of a store: the commits since the last checkpoint, and room for more.
    public struct Log: Sendable, Codable {
        /// The length of both halves together, in bytes.
        public let byteCount: Int
        /// The length to which both halves together may grow, in bytes
        /// (`Store.limitLog(toBytes:)`).
        public let byteLimit: Int
        /// How many bytes of the log are durable, but not yet merged into the trees by a
        /// checkpoint.
        ///
        /// The half in which they lie can be reused only after a checkpoint.
        public let unmergedByteCount: Int
        /// How many bytes of memory this process uses for its index of the log.
        public let memoryByteCount: Int
    }

    /// The processes with which a process shares an open store.
    public enum Sharing: String, Sendable, Codable {
        /// With every process that opens it.
        case everybody
        /// With readers only: there is no coordination file, so no process can write meanwhile.
        case readers
        /// With nobody: the disk has no room for a coordination file.
        case nobody
        /// With processes that do not know of this one, because it takes no lock
        /// (`StoreOptions.Access.immutable`).
        case strangers
    }
}

/// Counts of what has happened in an open store.
///
/// The counts of all processes begin when the first process opens the store; those of this process
/// begin when this process opens it.
public struct StoreStatistics: Sendable, Codable {
    /// Commits by all processes.
    public let commitCount: Int
    /// Flushes by all processes.
    public let flushCount: Int
    /// How many times a commit, in any process, waited for a flush by another thread or process.
    public let flushWaitCount: Int
    /// Checkpoints by all processes, not counting commits that wrote pages themselves.
    public let checkpointCount: Int
    /// How many seconds ago the last checkpoint was made; `nil` if there was none.
    public let secondsSinceCheckpoint: Int?
    /// Pages that this process has sealed and written.
    public let sealedPageCount: Int
    /// Pages that this process has opened, or verified in place.
    public let openedPageCount: Int
    /// Bytes of pages that this process has written.
    public let writtenByteCount: Int
}

extension Store {
    /// The store's properties and measures at this moment.
    ///
    /// - Throws: `readersFull`; `busy` if checkpoints of other processes overtake the call for the
    ///   whole of ``StoreOptions/lockTimeout``; `outOfMemory`, `io`, `corrupted`, `replaced`,
    ///   `closed`, `usedAfterFork`.
    public var info: StoreInfo {
        get throws(BullaError) {
            try core.entrance.use { () throws(BullaError) in
                try core.entrance.checkUse()
                return try StoreInfo(of: core)
            }
        }
    }

    /// Counts that show how commits shared flushes, and what this process has done.
    ///
    /// - Throws: `closed`, `usedAfterFork`, `corrupted`, `replaced`.
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
        // Read the durable commit first, so that no commit counts as durable but not as published.
        let durable = try core.log.durableCommit()
        let newest = max(try core.log.newestCommit(), durable)
        self.init(
            path: core.parts.path, formatVersion: Int(PageFormat.version),
            pageByteCount: header.format.pageByteCount, suite: CipherSuite(header.suite),
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
            recoveryNote: core.recovery.text,
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
            unmergedByteCount: Int(clamping: try log.shared.byteCount()),
            memoryByteCount: log.memtables.byteCount)
    }
}

extension StoreStatistics {
    fileprivate init(of core: StoreCore) {
        let (words, counters) = (core.board.words, core.pager.counters)
        let checkpoints = words.loadAcquire(WorldLayout.checkpoints)
        // Other processes write the word too, so do not trust a time that is later than now.
        let last = min(words.loadAcquire(WorldLayout.lastCheckpoint), SystemClock.seconds)
        self.init(
            commitCount: Int(clamping: words.loadAcquire(WorldLayout.commits)),
            flushCount: Int(clamping: words.loadAcquire(WorldLayout.flushes)),
            flushWaitCount: Int(clamping: words.loadAcquire(WorldLayout.waits)),
            checkpointCount: Int(clamping: checkpoints),
            secondsSinceCheckpoint: checkpoints == 0
                ? nil : Int(clamping: SystemClock.seconds.subtractingOrZero(last)),
            sealedPageCount: Int(clamping: counters.sealedPageCount),
            openedPageCount: Int(clamping: counters.openedPageCount),
            writtenByteCount: Int(clamping: counters.writtenByteCount))
    }
}

extension StoreInfo.Sharing {
    /// The processes with which this one shares a store.
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
