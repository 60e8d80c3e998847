public import Logging

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// Whether opening creates the store.
    ///
    /// Only an opener that can write creates a store; for any other, a missing file throws `io`.
    public enum Creation: Sendable {
        /// Creates the store when there is no file.
        case ifMissing
        /// Requires that the file exists.
        case never
        /// Creates the store, and requires that no file exists, as `O_EXCL` does.
        ///
        /// If there is one, opening throws `invalidArgument`.
        case exclusive
    }

    /// What an open store may do to its file.
    public enum Access: String, Sendable, Codable {
        /// Reads and writes.
        ///
        /// A store that was closed cleanly is not written to before its first change.
        case readWrite
        /// Only reads: every change throws `readOnly`.
        ///
        /// Other processes can write meanwhile, as long as this one can write to the coordination
        /// file, where a reader marks what it reads. If there can be no coordination file (no
        /// permission to write, a read-only file system, a full disk), this process reads without
        /// one. Then no process can open the store for writing before this one closes it: an
        /// attempt throws `busy`, and the error says why. Nothing is written to the data file,
        /// except by recovery from a crash, if the file is writable.
        case readOnly
        /// Only reads, takes no lock, and writes nothing anywhere: for a file that does not change.
        ///
        /// If the file does change, reading may throw `corrupted`, and a plain store may give wrong
        /// data.
        case immutable
    }

    /// Whether opening creates the store.
    public var creation: Creation
    /// How many bytes a page has: 4096, 8192, 16384, 32768 or 65536.
    ///
    /// With `nil`, a new store gets the default size, and an existing store keeps its own. A number
    /// must agree with the existing store, or opening throws `optionMismatch`.
    public var pageByteCount: Int?
    /// The cipher suite; with `nil`, a new store gets the default, and an existing store keeps its
    /// own.
    ///
    /// It must be `nil` if no key is given.
    public var suite: CipherSuite?
    /// What the open store may do to its file.
    public var access: Access
    /// How many bytes of opened pages an encrypted store keeps in memory.
    public var cacheByteLimit: Int
    /// The descriptor of a ``PagePool``, in which this process shares its opened pages with other
    /// workers; `nil` if it keeps them to itself.
    ///
    /// The process has inherited the descriptor from the pool's owner, or is the owner. Opening the
    /// store gives the store a descriptor of its own for the pool's file, so the program can close
    /// this one afterwards. With a pool, ``cacheByteLimit`` only limits what this process keeps
    /// outside the pool: pages that it has written, and pages for which the pool has no frame at
    /// the moment. A few MiB are enough.
    ///
    /// Opening throws `invalidArgument` for another kind of descriptor and for a plain store,
    /// `otherStore` if the pool's workers have another store open, and `readersFull` if the pool
    /// has 256 workers already.
    public var pagePool: Int32?
    /// How many bytes of changed pages a transaction keeps in memory; beyond that, some are sealed
    /// early.
    public var dirtyByteLimit: Int
    /// How long a transaction waits for another writer before it throws `busy`.
    ///
    /// An opener waits equally long for processes that open or close the store, or that use it
    /// alone, and then throws `busy`. A commit waits equally long for another process's flush, and
    /// then throws `notYetDurable`.
    ///
    /// A process that was stopped keeps its locks while it is stopped; the error names the process.
    public var lockTimeout: Duration
    /// How many commits a snapshot of an encrypted store may lag behind before this process's
    /// writers take the pages that only the snapshot still needs.
    ///
    /// A snapshot that then meets such a page throws `snapshotExpired`; it never sees wrong data.
    /// With `nil`, the default, a snapshot lasts as long as it is held, and the file grows
    /// meanwhile. A plain store, whose snapshots read the file itself, refuses a limit.
    public var snapshotCommitLimit: Int?
    /// A change reclaims freed pages only once the oldest are this many commits old, unless it
    /// finds too few other free pages.
    ///
    /// The bits of the freed pages are scattered over the free map, but if the pages of many
    /// commits are reclaimed together, each page of the map changes only once. Crash tests set 0,
    /// so that pages are used again as soon as possible.
    package var reclaimInterval: UInt64 = 16
    /// How many bytes may remain after the last page when the file is cut.
    ///
    /// The next small commits use these bytes. Crash tests set 0, so that the file is cut each
    /// time.
    package var tailByteLimit: UInt64 = 4 << 20
    /// The last process to close the store commits a shorter file only if the file's unused pages
    /// add up to more bytes than this.
    package var freeTailByteLimit: UInt64 = 4 << 20
    /// How many bytes the log of a new store can have, both halves together.
    ///
    /// It must be one of ``logByteLimits``, or creating the store throws `invalidArgument`. The log
    /// begins with 1 MiB. It grows if commits come faster than checkpoints take them over, or if
    /// the commits change so many pages of the trees that a longer log saves much writing. A longer
    /// log makes large loads and scattered changes faster. In return, each process that has the
    /// store open needs memory for the log's changes: about as many bytes as the log has if entries
    /// have a hundred bytes or more, and several times as many if entries are very short. An
    /// existing store keeps its own limit, and ignores this one.
    public var logByteLimit: Int
    /// How many bytes each half of a new store's log has at first.
    package var logHalfByteCount: UInt64 = 512 << 10
    /// How many bytes each half can have; `nil` for half of ``logByteLimit``.
    ///
    /// Tests set it, so that their logs are full after a few commits.
    package var logHalfByteLimit: UInt64?
    /// Whether the store makes checkpoints even if no half of the log is full: when no process
    /// writes, and when a reader passes many tombstones.
    ///
    /// Tests that count what is written turn this off, and so do benchmarks that make checkpoints
    /// at times of their own choosing.
    package var checkpointsWhenIdle = true
    /// Receives what the store's user should know, such as a recovery; `nil` for no reports.
    public var logger: Logger?

    /// The anchor that the store must not be older than.
    var anchor: Anchor?

    /// Makes options; each parameter sets the property of its name.
    ///
    /// ```swift
    /// let options = StoreOptions(creation: .never, access: .readOnly)
    /// ```
    public init(
        creation: Creation = .ifMissing, pageByteCount: Int? = nil, suite: CipherSuite? = nil,
        access: Access = .readWrite, cacheByteLimit: Int = 256 << 20,
        dirtyByteLimit: Int = 64 << 20, lockTimeout: Duration = .seconds(30),
        snapshotCommitLimit: Int? = nil, logByteLimit: Int = Self.defaultLogByteLimit,
        pagePool: Int32? = nil, logger: Logger? = nil
    ) {
        self.creation = creation
        self.pageByteCount = pageByteCount
        self.suite = suite
        self.access = access
        self.cacheByteLimit = cacheByteLimit
        self.dirtyByteLimit = dirtyByteLimit
        self.lockTimeout = lockTimeout
        self.snapshotCommitLimit = snapshotCommitLimit
        self.logByteLimit = logByteLimit
        self.pagePool = pagePool
        self.logger = logger
    }

    /// The page size of a new store, unless another one is asked for.
    public static let defaultPageByteCount = 4096
    /// The page sizes that a store can have.
    public static let pageByteCounts = PageFormat.pageByteCounts
    /// How many bytes the log of a new store can have, unless another limit is asked for: 64 MiB.
    public static let defaultLogByteLimit = 64 << 20
    /// The limits that a log can have, in bytes: 128 KiB to 4 GiB.
    public static let logByteLimits = 128 << 10...4 << 30

    static func checkLogLimit(_ byteCount: Int, _ attempt: String) throws(BullaError) {
        guard !logByteLimits.contains(byteCount) else { return }
        throw BullaError(
            .invalidArgument,
            "\(attempt): the log's limit must be \(logByteLimits.lowerBound) to "
                + "\(logByteLimits.upperBound) bytes, not \(byteCount)")
    }
}
