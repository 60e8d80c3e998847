internal import BullaMemory

/// How much memory a memtable can take for one use of a half of the log.
///
/// A writer keeps to this budget. A follower must index whatever the writer committed, and may need
/// more pages for it than the writer did, because the follower's index may have begun at a
/// different commit, and have a different height. So a memtable's ``limit`` depends on the length
/// of the half alone.
struct MemtableBudget {
    let halfByteCount: Int

    init(_ halfByteCount: UInt64) {
        self.halfByteCount = min(Int(clamping: halfByteCount), Memtable.byteLimits.upperBound)
    }

    /// In the worst case a byte of the log needs this many bytes of index pages: the shortest
    /// operation has 4 bytes, and a tree's first operation takes a leaf of 1024 bytes.
    private static let worstCaseFactor = 256
    private static let versionByteLimits = 8 << 20...32 << 20
    private static let transactionByteMinimum = 8 << 20
    /// The shortest put takes 5 bytes in the log, and 30 in an index of one tree.
    private static let transactionFactor = 6

    /// The limit, in bytes, for pages of older versions that a memtable keeps until newer commits
    /// are durable.
    ///
    /// A small commit adds some 3 KiB. A writer that finds more than the limit flushes the log, so
    /// that older versions can go.
    var versions: Int {
        let limits = Self.versionByteLimits
        return min(max(halfByteCount / 2, limits.lowerBound), limits.upperBound)
    }

    /// How many bytes of index pages one transaction can take.
    ///
    /// A transaction that needs more goes direct: it changes pages of the trees instead.
    var transaction: Int {
        max(Self.transactionFactor * halfByteCount, Self.transactionByteMinimum)
    }

    /// How much address space a memtable takes for its pages; it takes as much again for the bytes
    /// of its operations.
    ///
    /// If address space is short, the limit is lower, but leaves room for ``versions`` and for one
    /// ``transaction``.
    var limit: Int {
        let greatest = Memtable.byteLimits.upperBound
        let wished = min(Self.worstCaseFactor * halfByteCount, greatest)
        let needed = min(versions + transaction, greatest)
        return ReservedRegion.affordableByteCount(max(wished, needed), needed: needed)
    }
}
