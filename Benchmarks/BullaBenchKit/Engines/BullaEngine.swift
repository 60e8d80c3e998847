internal import Bulla
internal import BullaText

package final class BullaEngine: Engine {
    static let tree: StaticString = "records"

    private let store: Store
    private let setup: EngineSetup

    /// Opens the store, or makes it where there is none yet.
    package init(_ setup: EngineSetup) throws {
        var options = StoreOptions()
        options.pageByteCount = setup.pageByteCount
        options.suite = setup.key == nil ? nil : setup.suite?.ofStore
        options.cacheByteLimit = setup.cacheByteLimit
        let key = try setup.keyBytes().map { try StoreKey($0) }
        store = try Store.open(at: setup.file("store.bulla"), key: key, options: options)
        self.setup = setup
    }

    package var facts: EngineFacts {
        get throws {
            let info = try store.info
            return EngineFacts(
                engine: "Bulla", isEncrypted: info.isEncrypted,
                configuration: "pages \(Format.bytes(info.pageByteCount)), \(info.suite)",
                liveByteCount: Int(info.livePageCount) * info.pageByteCount,
                transientFiles: ["store.bulla.bulla-world"])
        }
    }

    package var counters: EngineCounters {
        get throws {
            let statistics = try store.statistics
            return EngineCounters(
                commits: UInt64(statistics.commitCount), flushes: UInt64(statistics.flushCount),
                byteCountWritten: UInt64(statistics.writtenByteCount))
        }
    }

    package func session() throws -> any EngineSession {
        BullaSession(store, setup.durability.ofStore)
    }

    package func close() throws { try store.close() }
}

final class BullaSession: EngineSession {
    private let store: Store
    private let durability: Durability

    init(_ store: Store, _ durability: Durability) {
        (self.store, self.durability) = (store, durability)
    }

    func read(_ keys: ByteRun, _ range: Range<Int>, _ tally: inout Tally) throws {
        try store.read { snapshot in
            let tree = try snapshot.tree(named: BullaEngine.tree)
            for index in range {
                if index > range.lowerBound { tally.mark() }
                try keys.withBytes(index) { try Self.read($0, snapshot, tree, &tally) }
            }
        }
        tally.mark()
    }

    func readBatch(_ keys: [[UInt8]], _ tally: inout Tally) throws {
        try store.read { snapshot in
            for value in try snapshot.values(
                forKeys: keys, in: snapshot.tree(named: BullaEngine.tree))
            {
                if let value { value.withSpan { tally.saw($0) } } else { tally.missed() }
            }
        }
    }

    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        let range = start.map { keys.withBytes($0) { KeyRange.from([UInt8]($0)) } } ?? .all
        var left = limit
        try store.read { snapshot in
            try snapshot.scan(snapshot.tree(named: BullaEngine.tree), range) { key, value in
                tally.saw(key, value)
                left -= 1
                return left > 0 ? .next : .stop
            }
        }
    }

    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try store.write(durability: durability) { transaction in
            let tree = try transaction.tree(named: BullaEngine.tree)
            try keys.withBytes(key) { key in
                try values.withBytes(value) { try transaction.put($0, forKey: key, in: tree) }
            }
        }
    }

    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        try store.write(durability: durability) { transaction in
            let tree = try transaction.openOrCreateTree(named: BullaEngine.tree)
            for index in range {
                try records.withKey(index) { key in
                    try records.withValue(index) { try transaction.put($0, forKey: key, in: tree) }
                }
            }
        }
    }

    func update(
        _ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int, _ tally: inout Tally
    ) throws {
        try store.write(durability: durability) { transaction in
            let tree = try transaction.tree(named: BullaEngine.tree)
            try keys.withBytes(key) { key in
                let isThere: Void? = try transaction.withValue(forKey: key, in: tree) {
                    tally.saw($0)
                }
                if isThere == nil { tally.missed() }
                try values.withBytes(value) { try transaction.put($0, forKey: key, in: tree) }
            }
        }
    }

    func delete(_ keys: ByteRun, _ key: Int) throws {
        try store.write(durability: durability) { transaction in
            let tree = try transaction.tree(named: BullaEngine.tree)
            try keys.withBytes(key) { try transaction.delete($0, in: tree) }
        }
    }

    /// What is published: after a relaxed commit, a snapshot of what is durable may lack it.
    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try store.read(visibility: .published) { snapshot in
            guard let tree = try snapshot.treeIfPresent(named: BullaEngine.tree) else { return }
            try snapshot.scan(tree) { key, value in
                body(key, value)
                return .next
            }
        }
    }

    @inline(__always)
    private static func read(
        _ key: RawSpan, _ snapshot: borrowing Snapshot, _ tree: Tree, _ tally: inout Tally
    ) throws {
        let isThere: Void? = try snapshot.withValue(forKey: key, in: tree) { tally.saw($0) }
        if isThere == nil { tally.missed() }
    }
}
