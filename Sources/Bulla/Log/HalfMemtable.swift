internal import BullaMemory

/// What one use of a half of the log says, indexed.
///
/// Each commit that may not be durable yet has a version of its own: a leader may stop at any.
struct HalfMemtable {
    /// Of the half's use.
    let sequence: UInt64
    /// The commit that its first one follows.
    let start: UInt64
    let memtable: Memtable
    /// Behind its last commit, or where it begins.
    private(set) var last: LogPosition
    /// Ascending; the first is the oldest that can still be asked for.
    private var versions: [Version]

    private struct Version {
        let commit: UInt64
        let state: State
    }

    /// What a commit has made of it.
    struct State {
        let version: MemtableVersion
        /// The number that the next new tree gets, as far as the log says.
        let nextTree: UInt64
    }

    /// - Parameters:
    ///   - sequence: of the half's use; its first commit comes after `last`.
    ///   - nextTree: the number that the next new tree gets, as far as the log says.
    ///   - memtable: empty, and nobody else's.
    init(
        sequence: UInt64, after last: LogPosition, nextTree: UInt64, _ memtable: Memtable
    ) {
        self.sequence = sequence
        self.last = last
        self.memtable = memtable
        start = last.commit
        versions = [Version(commit: start, state: State(version: .empty, nextTree: nextTree))]
    }

    /// What is said from a place on.
    init(after position: LogPosition, _ memtable: Memtable) {
        self.init(sequence: position.place.sequence, after: position, nextTree: 1, memtable)
    }

    /// Its last commit, or the one before it where it has none.
    var end: UInt64 { last.commit }
    /// The oldest commit after which it can still be asked what it said.
    var oldest: UInt64 { versions[0].commit }
    var newest: State { versions[versions.count - 1].state }

    /// - Parameter position: behind the commit.
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

    /// What it said after a commit; `nil` where that was let go, and before its first commit.
    func state(at commit: UInt64) -> State? {
        if commit >= end { return newest }
        guard let first = versions.first?.commit, commit >= first else { return nil }
        let version = versions[Int(commit - first)]
        invariant(version.commit == commit, "versions follow each other without a gap")
        return version.state
    }

    /// - Returns: `nil` where the version was let go.
    func hold(_ version: MemtableVersion) throws(BullaError) -> HeldVersion? {
        do throws(MemtableError) { return try memtable.hold(version) } catch {
            throw BullaError.memtable("read the log after commit \(start)", error)
        }
    }

    /// All that it says, or nothing where it is the newer half itself.
    ///
    /// - Parameter newer: that half's sequence.
    func holdBeneath(_ newer: UInt64) throws(BullaError) -> HeldVersion {
        guard sequence != newer else { return memtable.holdNothing() }
        guard let held = try hold(newest.version) else {
            preconditionFailure("the newest version is never let go")
        }
        return held
    }

    /// Lets versions go that are older than a commit's.
    mutating func settle(_ commit: UInt64) {
        guard let first = versions.first?.commit, commit > first else { return }
        versions.removeFirst(Int(min(commit, end) - first))
        memtable.settle(versions[0].state.version)
    }
}
