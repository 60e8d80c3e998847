internal import Bulla

/// The orders for a worker that commits until its time is over.
package struct CommitterSetup: Codable, Sendable {
    var contender: CommitContender
    /// A folder that ``CommitStage`` has prepared.
    var folder: String
    var key: String?
    var durability: BenchDurability
    var threadCount: Int
    var barrier: String
    /// The seed of the random numbers; each thread combines this seed with its own number.
    var seed: UInt64
    var warmUpNanoseconds: UInt64
    var measuredNanoseconds: UInt64
}

package struct CommitCounts: Codable, Sendable {
    var measured = 0
    var all = 0

    static func + (left: Self, right: Self) -> Self {
        Self(measured: left.measured + right.measured, all: left.all + right.all)
    }
}

final class CommitterRun: Sendable {
    private let setup: CommitterSetup
    private let committer: any Committer
    private let barrier: StartBarrier

    init(_ setup: CommitterSetup) throws {
        self.setup = setup
        committer = try CommitStage.committer(
            setup.contender, setup.folder, key: setup.key, setup.durability)
        try committer.warmUp()
        barrier = try StartBarrier(opening: setup.barrier)
    }

    func counts() throws -> CommitCounts {
        let threads = (0..<setup.threadCount).map { number in Station { number } }
        return try threads.each { [self] in try commit(as: $0) }.reduce(CommitCounts(), +)
    }

    private func commit(as thread: Int) throws -> CommitCounts {
        var random = Random(setup.seed, UInt64(thread))
        let start = try barrier.arrive() + setup.warmUpNanoseconds
        let end = start + setup.measuredNanoseconds
        var counts = CommitCounts()
        // Commits at least once, even if late, because flushes are divided by commits.
        repeat {
            try committer.commit(&random)
            let now = Clock.now
            counts.all += 1
            if now >= start, now < end { counts.measured += 1 }
        } while Clock.now < end
        return counts
    }
}

/// Makes small commits, in any number of threads at once.
protocol Committer: Sendable {
    func warmUp() throws

    /// Makes a commit, and returns when it is on the disk; if commits are relaxed, returns at once.
    func commit(_ random: inout Random) throws

    func flushCount() throws -> UInt64
}

/// Changes one record of a store with each commit.
final class StoreCommitter: Committer {
    static let recordCount = 50_000
    private static let tree: StaticString = "records"
    private static let valueByteCount = 100

    private let store: Store
    private let durability: Durability
    private let isGrouped: Bool

    init(_ path: String, key: [UInt8]?, _ durability: BenchDurability, isGrouped: Bool) throws {
        store = try Store.open(at: path, key: try key.map { try StoreKey($0) })
        (self.durability, self.isGrouped) = (durability.ofStore, isGrouped)
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
            try store.groupWrite(durability: durability) { try Self.put(key, value, &$0) }
        } else {
            try store.write(durability: durability) { try Self.put(key, value, &$0) }
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
