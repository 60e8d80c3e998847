internal import Bulla

/// Bulla, plain or encrypted.
final class BullaPeer: Peer {
    private static let tree: StaticString = "records"

    let name: String
    let configuration: String
    private let store: Store

    init(path: String, isEncrypted: Bool, cacheByteLimit: Int) throws {
        var options = StoreOptions()
        options.cacheByteLimit = cacheByteLimit
        let key = isEncrypted ? try StoreKey.random() : nil
        store = try Store.open(at: path, key: key, options: options)
        let info = try store.info
        name = isEncrypted ? "Bulla encrypted" : "Bulla plain"
        configuration =
            "pages \(Format.bytes(info.pageByteCount)), \(info.suite), "
            + "cache \(Format.bytes(cacheByteLimit)), durability full"
        try store.write { transaction in _ = try transaction.createTree(Self.tree) }
    }

    func load(_ records: Records, _ range: Range<Int>) throws {
        try store.write { transaction in
            let tree = try transaction.tree(Self.tree)
            for index in range {
                try records.keys.withBytes(index) { key in
                    try records.values.withBytes(index) { try transaction.put(key, $0, in: tree) }
                }
            }
        }
    }

    func read(_ keys: ByteRun) throws -> UInt64 {
        try store.read { snapshot in
            let tree = try snapshot.tree(Self.tree)
            var sum: UInt64 = 0
            for index in 0..<keys.count { sum &+= try Self.read(keys, index, snapshot, tree) }
            return sum
        }
    }

    func readEach(_ keys: ByteRun) throws -> UInt64 {
        var sum: UInt64 = 0
        for index in 0..<keys.count {
            sum &+= try store.read { snapshot in
                try Self.read(keys, index, snapshot, snapshot.tree(Self.tree))
            }
        }
        return sum
    }

    func scan() throws -> UInt64 {
        try store.read { snapshot in
            var sum: UInt64 = 0
            try snapshot.scan(snapshot.tree(Self.tree)) { key, value in
                sum &+= RecordHash.glance(key) &+ RecordHash.glance(value)
                return .next
            }
            return sum
        }
    }

    func commitEach(_ keys: ByteRun, _ values: ByteRun) throws {
        for index in 0..<keys.count {
            try store.write { transaction in
                let tree = try transaction.tree(Self.tree)
                try keys.withBytes(index) { key in
                    try values.withBytes(index) { try transaction.put(key, $0, in: tree) }
                }
            }
        }
    }

    @inline(__always)
    private static func read(
        _ keys: ByteRun, _ index: Int, _ snapshot: borrowing Snapshot, _ tree: Tree
    ) throws -> UInt64 {
        try keys.withBytes(index) { key in
            try snapshot.withValue(forKey: key, in: tree) { RecordHash.glance($0) } ?? 0
        }
    }
}
