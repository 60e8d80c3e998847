internal import BullaMemory

/// How much a memtable takes of one use of a half.
///
/// A writer keeps to it. A follower indexes whatever was committed: it may have begun at another
/// commit, with an index of another height, so what it needs follows from the bytes of the half
/// alone.
struct MemtableBudget {
    let halfByteCount: Int

    init(_ halfByteCount: UInt64) {
        self.halfByteCount = min(Int(clamping: halfByteCount), Memtable.byteLimits.upperBound)
    }

    /// In the worst case a byte of the log needs this many bytes of index pages: the shortest
    /// operation has 4 bytes, and the first of a tree takes a leaf of 1024.
    private static let worstCaseFactor = 256
    private static let versionByteLimits = 8 << 20...32 << 20
    private static let transactionByteMinimum = 8 << 20
    /// The shortest operations that put take 5 bytes in the log, and 30 in an index of one tree.
    private static let transactionFactor = 6

    /// Pages that no version sees but those of commits that may not be durable.
    ///
    /// A small commit adds some 3 KiB. A writer that finds more than this flushes, so that older
    /// versions may go.
    var versions: Int {
        let limits = Self.versionByteLimits
        return min(max(halfByteCount / 2, limits.lowerBound), limits.upperBound)
    }

    /// Pages that one transaction may take of the index.
    ///
    /// One that needs more changes pages of the trees.
    var transaction: Int {
        max(Self.transactionFactor * halfByteCount, Self.transactionByteMinimum)
    }

    /// Pages, and bytes of operations, that a memtable has address space for.
    ///
    /// Where that is limited, versions and a transaction have room.
    var limit: Int {
        let greatest = Memtable.byteLimits.upperBound
        let wished = min(Self.worstCaseFactor * halfByteCount, greatest)
        let needed = min(versions + transaction, greatest)
        return ReservedRegion.affordableByteCount(max(wished, needed), needed: needed)
    }
}
