internal import BullaMemory

/// An index of the changes from one use of a half of the log.
///
/// Each commit that may not be durable yet has a version of its own, because a leader's flush can
/// end at any such commit.
struct HalfMemtable {
    /// The sequence number of this use of the half.
    let sequence: UInt64
    /// The commit before the first one in this use.
    let start: UInt64
    let memtable: Memtable
    /// The position after the last commit of this use, or, if it has none, after the last commit
    /// before this use.
    private(set) var last: LogPosition
    /// In ascending order; the first is the oldest that readers can still ask for.
    private var versions: [Version]

    private struct Version {
        let commit: UInt64
        let state: State
    }

    /// The state of the index after a commit.
    struct State {
        let version: MemtableVersion
        /// The number of the next new tree, as far as the log tells.
        let nextTree: UInt64
    }

    /// - Parameters:
    ///   - sequence: the sequence number of this use of the half.
    ///   - last: the position after the last commit before this use.
    ///   - nextTree: the number of the next new tree, as far as the log tells.
    ///   - memtable: an empty one that nobody else uses.
    init(
        sequence: UInt64, after last: LogPosition, nextTree: UInt64, _ memtable: Memtable
    ) {
        self.sequence = sequence
        self.last = last
        self.memtable = memtable
        start = last.commit
        versions = [Version(commit: start, state: State(version: .empty, nextTree: nextTree))]
    }

    /// Makes an empty index for the log's changes from a position on.
    init(after position: LogPosition, _ memtable: Memtable) {
        self.init(sequence: position.place.sequence, after: position, nextTree: 1, memtable)
    }

    /// The last commit of this use, or ``start`` if it has none.
    var end: UInt64 { last.commit }
    /// The oldest commit whose state is still kept.
    var oldest: UInt64 { versions[0].commit }
    var newest: State { versions[versions.count - 1].state }

    /// - Parameter position: the position after the commit.
    mutating func note(_ state: State, at position: LogPosition) {
        precondition(position.commit == end + 1, "commits follow each other")
        invariant(position.place.sequence == sequence, "a commit lies in the half that has it")
        invariant(
            last.place.sequence != sequence || last.place.offset < position.place.offset,
            "commits go forwards in a half")
        versions.append(Version(commit: position.commit, state: state))
        last = position
        invariant(UInt64(versions.count - 1) == end - oldest, "each commit has its version")
    }

    /// The state after a commit, or the newest state if the commit comes after this use of the
    /// half; `nil` if the state was dropped, or if the commit is older than this use.
    func state(at commit: UInt64) -> State? {
        if commit >= end { return newest }
        guard let first = versions.first?.commit, commit >= first else { return nil }
        let version = versions[Int(commit - first)]
        invariant(version.commit == commit, "versions follow each other without a gap")
        return version.state
    }

    /// - Returns: `nil` if the version was dropped.
    func hold(_ version: MemtableVersion) throws(BullaError) -> HeldVersion? {
        do throws(MemtableError) { return try memtable.hold(version) } catch {
            throw BullaError.memtable("read the log after commit \(start)", error)
        }
    }

    /// Holds all changes of this half, to be read beneath those of the newer half; holds nothing if
    /// this half is the newer one.
    ///
    /// - Parameter newer: the sequence of the newer half.
    func holdBeneath(_ newer: UInt64) throws(BullaError) -> HeldVersion {
        guard sequence != newer else { return memtable.holdNothing() }
        guard let held = try hold(newest.version) else {
            preconditionFailure("the newest version is never let go")
        }
        return held
    }

    /// Drops the versions of commits before `commit`.
    mutating func settle(_ commit: UInt64) {
        guard let first = versions.first?.commit, commit > first else { return }
        versions.removeFirst(Int(min(commit, end) - first))
        memtable.settle(versions[0].state.version)
    }
}
