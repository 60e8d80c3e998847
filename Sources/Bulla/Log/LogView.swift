internal import BullaMemory

/// What the log says up to a commit, which stays as it is until this goes away.
package struct LogView: ~Copyable, Sendable {
    /// The last commit that it knows of.
    package let commit: UInt64
    /// The trees beneath must have every commit up to this one.
    package let origin: UInt64
    /// The number that the next new tree gets, as far as the log says.
    package let nextTree: UInt64
    private let newer: HeldVersion
    /// An empty version where there is no older half.
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

    /// To look up and to walk, as long as this lives.
    @inline(__always)
    package var pair: MemtablePair { MemtablePair(newer: newer.view, older: older.view) }
}

/// What the trees take over from the log.
package struct LogCheckpoint: ~Copyable, Sendable {
    /// What the log says, up to ``end``.
    package let view: LogView
    /// Where replay begins over the new trees.
    package let end: LogPosition
}
