internal import Bulla
internal import BullaText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// What a process is told that has to commit.
struct CommitterSetup: Codable {
    var contender: CommitContender
    /// A folder that ``CommitStage`` has prepared.
    var folder: String
    var key: String?
    var threadCount: Int
    var barrier: String
    /// Decides, with the thread's number, what is drawn.
    var seed: UInt64
    /// Commits in this time are made, but not measured.
    var warmUpNanoseconds: UInt64
    var measuredNanoseconds: UInt64
}

enum CommitterReply: Codable {
    case committed(measured: Int, all: Int)
    case failed(exit: Int32, message: String)
}

/// A process that commits from all its threads until its time is over, and tells how often.
package enum CommitterProcess {
    /// Reads a setup from the input, writes a reply to the output, and does not return.
    package static func run() -> Never {
        let reply: CommitterReply
        do { reply = try CommitterRun(try setup()).reply() } catch {
            let exit = (error as? BenchError)?.exit ?? .store
            reply = .failed(exit: exit.rawValue, message: "\(error)")
        }
        guard let line = try? WorkerLine.bytes(reply),
            (try? Descriptor.standardOutput.write(line)) != nil
        else { exit(BenchExit.orphaned.rawValue) }
        exit(BenchExit.met.rawValue)
    }

    private static func setup() throws -> CommitterSetup {
        let reader = LineReader(Descriptor.standardInput)
        guard let line = try reader.next() else {
            throw BenchError(.worker, "a committer is told nothing")
        }
        return try WorkerLine.message(CommitterSetup.self, from: line)
    }
}

private final class CommitterRun: Sendable {
    private struct Outcome {
        var measured = 0
        var all = 0
        var failure: (any Error)?
    }

    private let setup: CommitterSetup
    private let committer: any Committer
    private let barrier: StartBarrier
    private let outcome = Mutex(Outcome())

    init(_ setup: CommitterSetup) throws {
        self.setup = setup
        committer = try CommitStage.committer(setup.contender, setup.folder, key: setup.key)
        try committer.warmUp()
        barrier = try StartBarrier(opening: setup.barrier)
    }

    func reply() throws -> CommitterReply {
        let threads = DispatchGroup()
        for number in 0..<setup.threadCount {
            threads.enter()
            try Thread.start { [self] in
                commit(as: number)
                threads.leave()
            }
        }
        threads.wait()
        return try outcome.withLock { outcome in
            if let failure = outcome.failure { throw failure }
            return .committed(measured: outcome.measured, all: outcome.all)
        }
    }

    private func commit(as thread: Int) {
        do {
            let (measured, all) = try counts(thread)
            outcome.withLock { outcome in
                outcome.measured += measured
                outcome.all += all
            }
        } catch {
            outcome.withLock { $0.failure = error }
        }
    }

    private func counts(_ thread: Int) throws -> (measured: Int, all: Int) {
        var random = Random(setup.seed, UInt64(thread))
        let start = try barrier.arrive() + setup.warmUpNanoseconds
        let end = start + setup.measuredNanoseconds
        var counts = (measured: 0, all: 0)
        // Once at least, however late this thread gets its turn: of no commit, no flushes are told.
        repeat {
            try committer.commit(&random)
            let now = Clock.now
            counts.all += 1
            if now >= start, now < end { counts.measured += 1 }
        } while Clock.now < end
        return counts
    }
}

/// Makes small durable commits, for any number of threads.
protocol Committer: Sendable {
    func warmUp() throws

    /// Returns when the disk has it.
    func commit(_ random: inout Random) throws

    func flushCount() throws -> UInt64
}

/// Changes one record of a store with each commit.
final class StoreCommitter: Committer {
    static let recordCount = 50_000
    private static let tree: StaticString = "records"
    private static let valueByteCount = 100

    private let store: Store
    private let isGrouped: Bool

    init(_ path: String, key: [UInt8]?, isGrouped: Bool) throws {
        store = try Store.open(at: path, key: try key.map { try StoreKey($0) })
        self.isGrouped = isGrouped
    }

    static func prepare(_ path: String, key: [UInt8]?) throws {
        let store = try Store.open(at: path, key: try key.map { try StoreKey($0) })
        try store.write { transaction in
            let tree = try transaction.openOrCreateTree(named: Self.tree)
            for number in 0..<Self.recordCount {
                try transaction.put(Self.value(0), forKey: Self.key(number), in: tree)
            }
        }
        try store.close()
    }

    func warmUp() throws {
        try store.read { try $0.scan($0.tree(named: Self.tree)) { _, _ in .next } }
    }

    func commit(_ random: inout Random) throws {
        let key = Self.key(random.below(Self.recordCount))
        let value = Self.value(UInt8(truncatingIfNeeded: random.next()))
        if isGrouped {
            try store.groupWrite { try Self.put(key, value, &$0) }
        } else {
            try store.write { try Self.put(key, value, &$0) }
        }
    }

    func flushCount() throws -> UInt64 { UInt64(try store.statistics.flushCount) }

    private static func put(
        _ key: [UInt8], _ value: [UInt8], _ transaction: inout WriteTransaction
    ) throws {
        try transaction.put(value, forKey: key, in: try transaction.tree(named: tree))
    }

    private static func key(_ number: Int) -> [UInt8] {
        [UInt8]("user\(Random.mixed(UInt64(number)))".utf8)
    }

    private static func value(_ byte: UInt8) -> [UInt8] {
        [UInt8](repeating: byte, count: valueByteCount)
    }
}
