internal import Bulla

/// Makes small durable commits, for any number of threads.
protocol Committer: Sendable {
    /// Takes into memory what the commits will need.
    func warmUp() throws

    /// Returns when the disk has it.
    func commit(_ random: inout Random) throws

    /// Flushes so far, of all processes.
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

    /// Makes the records that will be changed.
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
        try store.read { snapshot in
            try snapshot.scan(snapshot.tree(named: Self.tree), .all) { _, _ in .next }
        }
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
