import Bulla
import BullaSimulation
import BullaTestSupport

/// Stores on one simulated disk, each in its own process, and the model of their content.
///
/// The seed determines all random decisions.
struct Session {
    let configuration: Configuration
    let disk: SimulatedDisk
    var random: TestRandom
    var timeline: Timeline
    /// The content of the newest published commit.
    var current = Version.first
    var opened: [OpenedStore] = []
    private(set) var trace: [String] = []

    init(
        _ configuration: Configuration, _ disk: SimulatedDisk,
        _ start: Timeline.Allowed = Timeline.Allowed(isMissingAllowed: true, versions: [.first]),
        seed: UInt64
    ) {
        self.configuration = configuration
        self.disk = disk
        random = TestRandom(seed: seed)
        timeline = Timeline(start)
    }

    mutating func note(_ operation: String) { trace.append("\(disk.eventCount) \(operation)") }

    /// Opens the store in one more process.
    ///
    /// The first process recovers: what it finds must be possible for the disk, and is durable from
    /// then on.
    mutating func open() throws {
        note("open")
        let allowed = timeline.allowed(at: disk.eventCount)
        let process = SimulatedProcess(disk)
        let one = OpenedStore(process: process, store: try configuration.open(process))
        opened.append(one)
        guard opened.count == 1 else { return try look(one) }
        let found = try Version(of: one.store, .durable)
        guard allowed.versions.contains(found) || (allowed.isMissingAllowed && found == .first)
        else {
            let commits = allowed.versions.map { String($0.commit) }.joined(separator: ", ")
            throw Finding("opened at commit \(found.commit), which is not whole one of \(commits)")
        }
        current = found
        timeline.recover(found, at: disk.eventCount)
        try look(one)
        try check(one)
    }

    /// Demands that a store sees the last published commit, and that its durable commit is a
    /// possible one.
    func look(_ one: OpenedStore) throws {
        try demand(
            try Version(of: one.store, .published) == current,
            "a store does not see commit \(current.commit), which was published")
        let allowed = timeline.allowed(at: disk.eventCount)
        try demand(
            allowed.versions.contains(try Version(of: one.store, .durable)),
            "a store sees a durable commit that cannot be")
    }

    private func check(_ one: OpenedStore) throws {
        let report = try one.store.check()
        try demand(
            report.isSound,
            "check found \(report.defects.first.map { "page \($0.page): \($0.message)" } ?? "")")
    }

    mutating func close(_ index: Int) throws {
        note("close")
        let one = opened.remove(at: index)
        try one.endSnapshot()
        try one.store.close()
        timeline.acknowledge(at: disk.eventCount)
    }

    /// Closes a store, which may make a few commits that do not change its content.
    ///
    /// The caller must already have begun the versions of those commits in ``timeline``.
    mutating func close(_ index: Int, mayCommit count: UInt64) throws {
        let former = current
        try opened.remove(at: index).store.close()
        var reached = former
        let disk = try SimulatedDisk(DiskReplay.now(disk))
        defer { disk.switchOff() }
        reached.commit = try configuration.open(SimulatedProcess(disk)).info.commit
        try demand(
            (former.commit...former.commit + count).contains(reached.commit),
            "closing made commit \(reached.commit) of \(former.commit)")
        while let last = timeline.lastVersion, last.commit > reached.commit { timeline.withdraw() }
        current = reached
        timeline.acknowledge(at: self.disk.eventCount)
    }

    /// The same session with another configuration.
    func configured(_ configuration: Configuration) -> Session {
        var other = Session(configuration, disk, seed: 1)
        other.timeline = timeline
        other.current = current
        return other
    }

    mutating func closeAll() throws { while !opened.isEmpty { try close(0) } }

    mutating func reopen() throws {
        try closeAll()
        try open()
    }

    /// Kills all processes, which then write nothing more.
    mutating func killAll() {
        note("kill all")
        for one in opened { one.process.kill() }
        opened = []
    }

    /// Switches off the machine, so that nothing that still runs has any effect.
    mutating func end() {
        disk.switchOff()
        opened = []
    }
}

/// A store that a simulated process has open.
final class OpenedStore {
    let process: SimulatedProcess
    let store: Store
    private var snapshot: Snapshot?
    private var expected: Version?

    init(process: SimulatedProcess, store: Store) {
        self.process = process
        self.store = store
    }

    /// Begins to hold a snapshot, whose pages must not be reused as long as it is held.
    func beginSnapshot() throws {
        try endSnapshot()
        expected = try Version(of: store, .published)
        snapshot = try store.makeSnapshot(visibility: .published)
    }

    /// Ends the snapshot, which must still see what it saw at first.
    func endSnapshot() throws {
        guard let expected, let held = snapshot.take() else { return }
        self.expected = nil
        try demand(try Version(of: held) == expected, "a held snapshot sees something else")
    }
}
