/// What a memtable may take of one use of a half.
///
/// It follows from the length of that half, which does not change while it is used. So whatever a
/// writer commits within it, every follower has room for, though the log grew in between and some
/// made their memtables before that.
struct MemtableBudget {
    let halfByteCount: Int

    /// So many times a half's bytes an index of it takes at most.
    ///
    /// The shortest operations take 5 bytes there, and 30 here. Address space is taken for it,
    /// memory as it is used.
    private static let indexFactor = 6
    /// For the versions of commits that are not durable yet: some 3 KiB for a small one.
    private static let versionByteLimits = 8 << 20...64 << 20

    /// What is committed takes no more, but for the last commit: a writer that finds more of it
    /// flushes, so that older versions may go.
    var committed: Int {
        let limits = Self.versionByteLimits
        return commit + min(max(halfByteCount, limits.lowerBound), limits.upperBound)
    }

    /// What one commit takes at most.
    var commit: Int { Self.indexFactor * halfByteCount }
}
