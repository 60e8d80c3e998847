public import Logging

/// How a store is opened.
public struct StoreOptions: Sendable {
    /// What opening does about a file that is not there.
    ///
    /// Only an opener that may write creates one: opening for reading alone throws `io` then.
    public enum Creation: Sendable {
        /// Creates the store when there is no file.
        case ifMissing
        /// Demands that the file is there.
        case never
        /// Demands that the file is not there.
        case always
    }

    /// What an open store may do to its file.
    public enum Access: String, Sendable, Codable {
        /// Reads and writes.
        ///
        /// Nothing is written to a store that was closed cleanly before its first change.
        case readWrite
        /// Reads alone: every change is refused with `readOnly`.
        ///
        /// Others may write meanwhile, as long as this process may write to the coordination file,
        /// where a reader marks what it reads. Where there can be none (no permission to write, a
        /// read-only file system, a full disk) it reads without: then nobody can open the store to
        /// write before this one is closed, and who tries is told so (`busy`). Nothing is written
        /// to the data file, unless a crash has to be recovered from and the file may be written.
        case readOnly
        /// Reads alone, takes no lock, and writes nothing anywhere: for a file that nobody changes.
        ///
        /// Nothing is promised where somebody does: reading may then throw `corrupted`, and what a
        /// plain store gives may be wrong.
        case immutable
    }

    /// What to do about a file that is not there.
    public var creation = Creation.ifMissing
    /// Bytes of a page: 4096, 8192, 16384, 32768 or 65536.
    ///
    /// `nil` takes the default for a new store, and whatever an existing one has. A number must
    /// agree with the existing store, or opening throws `optionMismatch`.
    public var pageByteCount: Int?
    /// The cipher suite; `nil` likewise.
    ///
    /// Must be `nil` where no key is given.
    public var suite: CipherSuite?
    /// What is to be done with the store.
    public var access = Access.readWrite
    /// How many bytes of opened pages an encrypted store keeps in memory.
    public var cacheByteLimit = 256 << 20
    /// How many bytes of changed pages a transaction keeps in memory; above it they are sealed
    /// early.
    public var dirtyByteLimit = 64 << 20
    /// How long a transaction waits for another writer, and an opener for others that open, close
    /// or use the store alone, before either throws `busy`.
    ///
    /// A commit waits as long for another's flush, then throws `notYetDurable`.
    ///
    /// A process that was stopped holds its locks as long as it is: the error names it.
    public var lockTimeout: Duration = .seconds(30)
    /// How many commits a snapshot of an encrypted store may lag behind before this process's
    /// writers take the pages that it alone still needs.
    ///
    /// A snapshot that then meets such a page throws `snapshotExpired`; it never sees wrong data.
    /// `nil`, the default: a snapshot lasts as long as it is held, and the file grows meanwhile. A
    /// plain store, whose snapshots read the file itself, refuses a limit.
    public var snapshotCommitLimit: Int?
    /// The frees of how many commits are looked through together, while there are pages to take:
    /// what they freed lies all over the free map, of which the same pages then change but once.
    ///
    /// Tests of crashes have pages used again as soon as they may be.
    package var reclaimInterval: UInt64 = 16
    /// How many bytes may stay behind the last page when the file's end is given back.
    ///
    /// Small commits that come later find them. Tests of crashes have the end cut off each time.
    package var tailByteLimit: UInt64 = 4 << 20
    /// How many bytes of free pages are worth a commit when the last one closes.
    package var freeTailByteLimit: UInt64 = 4 << 20
    /// How many bytes the log of a new store may have, in both its halves: one of
    /// ``logByteLimits``, or creating it throws `invalidArgument`.
    ///
    /// It begins with 1 MiB and grows where commits come faster than they are taken over into the
    /// trees, or change so many pages of these that a longer log spares much writing. A longer log
    /// makes large loads and scattered changes faster, and each process that has the store open
    /// takes memory for what it says: about as much for records of some hundred bytes, several
    /// times as much for the shortest. An existing store keeps its own limit, and nobody looks at
    /// this one.
    public var logByteLimit = Self.defaultLogByteLimit
    /// How many bytes each half of a new store's log has.
    package var logHalfByteCount: UInt64 = 512 << 10
    /// How many bytes each half may have; `nil`: half of ``logByteLimit``.
    ///
    /// Tests want logs that are full after a few commits.
    package var logHalfByteLimit: UInt64?
    /// Whether a log is taken over into the pages when nobody writes.
    ///
    /// Tests that count what is written do without, and so do benchmarks that measure something
    /// else meanwhile.
    package var checkpointsWhenIdle = true
    /// Where the store says what its user should know, such as a recovery.
    ///
    /// `nil`: nowhere.
    public var logger: Logger?

    /// What the store must not be older than.
    var anchor: Anchor?

    /// The defaults.
    public init() {}

    /// The page size of a new store for which none was asked.
    public static let defaultPageByteCount = 4096
    /// The page sizes there are.
    public static let pageByteCounts = PageFormat.pageByteCounts
    /// How many bytes the log of a new store may have for which no number was asked: 64 MiB.
    public static let defaultLogByteLimit = 64 << 20
    /// How many bytes a log may be limited to: 128 KiB to 4 GiB.
    public static let logByteLimits = 128 << 10...4 << 30

    static func checkLogLimit(_ byteCount: Int, _ attempt: String) throws(BullaError) {
        guard !logByteLimits.contains(byteCount) else { return }
        throw BullaError(
            .invalidArgument,
            "\(attempt): its log cannot be limited to \(byteCount) bytes, but to "
                + "\(logByteLimits.lowerBound) to \(logByteLimits.upperBound)")
    }
}
