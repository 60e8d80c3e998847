import Bulla
import BullaMemory
import BullaSimulation
import BullaTestSupport
import Foundation

/// A store that one simulated process has open, and whose log is taken over only on demand.
final class LiveStore {
    static let halfByteCount: UInt64 = 32 << 10
    /// Nothing flushes commits of this durability: the time is longer than any test.
    static let unflushed = Durability.relaxed(within: .seconds(3600))
    private static let tree = "t"

    let kind: StoreKind
    let disk: SimulatedDisk
    let process: SimulatedProcess
    let store: Store
    /// The content of each commit, including refused ones.
    private(set) var versions: [UInt64: Version]
    /// The content of the newest commit that was not refused.
    private(set) var current: Version
    /// The ends of commits in the log, as far as they were looked up.
    private var ends: [UInt64: LogPosition] = [:]
    private var random: TestRandom

    /// - Parameter former: the log to continue; nil: a new store.
    init(_ kind: StoreKind, after former: LiveLog? = nil, seed: UInt64 = 1) throws {
        self.kind = kind
        disk = try SimulatedDisk(former?.image ?? DiskImage())
        process = SimulatedProcess(disk)
        store = try Self.open(process, kind)
        versions = former?.versions ?? [1: .first]
        ends = former?.ends ?? [:]
        current = try Version(of: store, .published)
        random = TestRandom(seed: seed)
        try demand(current == versions[current.commit], "it is opened with what nobody wrote")
        ends[current.commit] = try end()
    }

    static func open(_ process: SimulatedProcess, _ kind: StoreKind) throws -> Store {
        let configuration = Configuration(suite: kind.suite, pageByteCount: 4096)
        var options = configuration.options
        options.fixLog(halfByteCount: halfByteCount)
        return try Store.open(
            at: Configuration.path, key: configuration.key(), options: options, storage: process)
    }

    private func end() throws -> LogPosition {
        guard let log = store.core.log.current else { throw Finding("the store has no log") }
        return try log.shared.durablePosition()
    }

    /// Makes `count` commits, each of one value of this many random bytes.
    func commit(
        _ count: Int = 1, _ durability: Durability = .full, byteCount: Int = 300
    ) throws {
        for _ in 0..<count {
            var next = current
            next.commit += 1
            let (key, value) = (Array("key \(next.commit % 8)".utf8), random.bytes(byteCount))
            next.trees[Array(Self.tree.utf8), default: [:]][key] = value
            versions[next.commit] = next
            try store.write(durability: durability) { change in
                let tree = try change.openOrCreateTree(named: Self.tree)
                try change.put(value, forKey: key, in: tree)
            }
            current = next
            guard durability == .full else { continue }
            ends[next.commit] = try end()
        }
    }

    /// Makes commits that nothing flushes, and finds their ends.
    func commitUnflushed(_ count: Int) throws {
        for _ in 0..<count {
            try commit(1, Self.unflushed)
            let disk = try SimulatedDisk(DiskReplay.now(disk))
            defer { disk.switchOff() }
            let copy = try Self.open(SimulatedProcess(disk), kind)
            ends[current.commit] = try copy.core.log.current?.shared.durablePosition()
        }
    }

    /// Makes an idle store mark the newest commit as durable.
    func mark() throws {
        let deadline = ContinuousClock.now + TestMode.patience
        while ContinuousClock.now < deadline {
            try store.core.log.current?.shared.markIfIdle()
            if LiveLog.mark(DiskReplay.now(disk).store) == current.commit { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw Finding("nobody has marked how far the log is durable")
    }

    /// Makes the disk refuse further writes to the file after the end of the log.
    ///
    /// - Parameter count: how many more such writes succeed; if it is 0, the file cannot grow
    ///   either.
    func fillDisk(after count: Int = 0) throws {
        let (name, log) = (Configuration.path, try LiveLog.record(DiskReplay.now(disk).store).log)
        let end = UInt64(log.halves.map { ($0.start + $0.count) * 4096 }.max() ?? 0)
        disk.add(
            DiskFault(
                .write, .error(28), after: count, isLasting: true, nameEnd: name, fromOffset: end))
        guard count == 0 else { return }
        disk.add(DiskFault(.allocate, .error(28), isLasting: true, nameEnd: name))
    }

    /// The present file, and what is known about it.
    func freeze() throws -> LiveLog {
        try LiveLog(
            kind: kind, image: DiskReplay.now(disk), versions: versions, ends: ends,
            newest: current.commit)
    }

    /// Kills the process, and switches off the machine.
    func kill() {
        process.kill()
        disk.switchOff()
    }
}
