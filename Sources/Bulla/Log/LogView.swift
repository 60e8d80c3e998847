internal import BullaMemory

/// The changes in the log up to a commit; they stay the same as long as the view lives.
package struct LogView: ~Copyable, Sendable {
    /// The last commit that the view covers.
    package let commit: UInt64
    /// The view is complete only over trees that contain every commit up to this one.
    package let origin: UInt64
    /// The number of the next new tree, as far as the log tells.
    package let nextTree: UInt64
    private let newer: HeldVersion
    /// An empty version if there is no older half.
    private let older: HeldVersion

    init(
        commit: UInt64, origin: UInt64, nextTree: UInt64, newer: consuming HeldVersion,
        older: consuming HeldVersion
    ) {
        invariant(origin <= commit, "a view ends no earlier than it begins")
        self.commit = commit
        self.origin = origin
        self.nextTree = nextTree
        self.newer = newer
        self.older = older
    }

    /// The memtables, for lookups and scans while the view lives.
    @inline(__always)
    package var pair: MemtablePair { MemtablePair(newer: newer.view, older: older.view) }
}

/// What the trees take over from the log.
package struct LogCheckpoint: ~Copyable, Sendable {
    /// The changes in the log up to ``end``.
    package let view: LogView
    /// Where replay begins over the new trees.
    package let end: LogPosition
}
