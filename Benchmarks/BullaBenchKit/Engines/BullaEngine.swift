internal import Bulla
internal import BullaText

package class BullaEngine: Engine, @unchecked Sendable {
    static let tree = Array("records".utf8)

    let store: Store
    let durability: Durability

    /// Opens the store, or makes it if there is none yet.
    package init(_ setup: EngineSetup) throws {
        var options = StoreOptions()
        options.pageByteCount = setup.pageByteCount
        options.suite = setup.key == nil ? nil : setup.suite?.ofStore
        options.cacheByteLimit = setup.cacheByteLimit
        if let byteCount = setup.logByteCount { options.logByteLimit = byteCount }
        // A checkpoint made while this store is idle would disturb the engine measured then.
        options.checkpointsWhenIdle = false
        let key = try setup.keyBytes().map { try StoreKey($0) }
        store = try Store.open(at: setup.file("store.bulla"), key: key, options: options)
        durability = setup.durability.ofStore
    }

    package var facts: EngineFacts {
        get throws {
            let info = try store.info
            let suite = info.suite?.description ?? "plain"
            return EngineFacts(
                engine: "Bulla", isEncrypted: info.isEncrypted,
                configuration: "pages \(Format.bytes(info.pageByteCount)), \(suite)",
                liveByteCount: Int(info.livePageCount) * info.pageByteCount,
                transientFiles: ["store.bulla.bulla-world"])
        }
    }

    /// The kernel counts the written bytes: the store's own count covers its pages, not its log.
    package var counters: EngineCounters {
        get throws {
            let statistics = try store.statistics
            return EngineCounters(
                commits: UInt64(statistics.commitCount), flushes: UInt64(statistics.flushCount),
                byteCountWritten: EngineCounters.writtenByProcess)
        }
    }

    package func session() throws -> any EngineSession {
        BullaSession(store, durability)
    }

    /// Waits until relaxed commits are flushed, and every full half of the log is in the trees.
    package func rest() throws {
        let newest = try store.read(visibility: .published) { $0.commit }
        try store.waitUntilDurable(newest)
        store.core.awaitCheckpoints()
    }

    /// Rests, and makes checkpoints until the trees hold everything that was only in the log.
    ///
    /// An idle store does that by itself, usually within half a second; here that is off.
    package func drain() throws {
        try rest()
        while try store.checkpoint() {}
    }

    package func close() throws { try store.close() }
}

class BullaSession: EngineSession {
    private let store: Store
    private let durability: Durability
    private let name = BullaEngine.tree
    var takesKeyArrays: Bool { true }

    init(_ store: Store, _ durability: Durability) {
        (self.store, self.durability) = (store, durability)
    }

    func read(_ keys: ByteRun, _ range: Range<Int>, perSnapshot: Int, _ tally: inout Tally) throws {
        try range.forEachPart(of: perSnapshot) { part in
            try store.read { snapshot in
                let tree = try name.withBytes { try snapshot.tree(named: $0) }
                for index in part {
                    try keys.withBytes(index) { key in
                        let isThere: Void? = try snapshot.withValue(forKey: key, in: tree) {
                            tally.saw($0)
                        }
                        if isThere == nil { tally.missed() }
                    }
                    tally.didRead()
                }
            }
        }
    }

    func readBatch(
        _ keys: ByteRun, _ range: Range<Int>, arrays: [[UInt8]], _ tally: inout Tally
    ) throws {
        try store.read { snapshot in
            let tree = try name.withBytes { try snapshot.tree(named: $0) }
            try snapshot.withValues(forKeys: arrays, in: tree) { _, value in
                if let value { tally.saw(value) } else { tally.missed() }
            }
        }
    }

    func scan(_ keys: ByteRun, from start: Int?, limit: Int, _ tally: inout Tally) throws {
        var left = limit
        try store.read { snapshot in
            let tree = try name.withBytes { try snapshot.tree(named: $0) }
            // A full scan does not count down to a limit: that would slow it down noticeably.
            guard let start else {
                return try snapshot.scan(tree) { key, value in
                    tally.saw(key, value)
                    return .next
                }
            }
            let range = keys.withBytes(start) { KeyRange.from([UInt8]($0)) }
            try snapshot.scan(tree, range) { key, value in
                tally.saw(key, value)
                left -= 1
                return left > 0 ? .next : .stop
            }
        }
    }

    func put(_ keys: ByteRun, _ key: Int, _ values: ByteRun, _ value: Int) throws {
        try changing(keys, key) { transaction, tree, key in
            try values.withBytes(value) { try transaction.put($0, forKey: key, in: tree) }
        }
    }

    func load(_ records: MappedRecords, _ range: Range<Int>) throws {
        try store.write(durability: durability) { transaction in
            let tree = try transaction.openOrCreateTree(named: name)
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
        try changing(keys, key) { transaction, tree, key in
            let isThere: Void? = try transaction.withValue(forKey: key, in: tree) {
                tally.saw($0)
            }
            if isThere == nil { tally.missed() }
            try values.withBytes(value) { try transaction.put($0, forKey: key, in: tree) }
        }
    }

    func delete(_ keys: ByteRun, _ key: Int) throws {
        try changing(keys, key) { try $0.delete($2, in: $1) }
    }

    @inline(__always)
    private func changing(
        _ keys: ByteRun, _ key: Int,
        _ body: (inout WriteTransaction, Tree, _ key: RawSpan) throws -> Void
    ) throws {
        try store.write(durability: durability) { transaction in
            let tree = try name.withBytes { try transaction.tree(named: $0) }
            try keys.withBytes(key) { try body(&transaction, tree, $0) }
        }
    }

    /// Reads the published state, because a durable snapshot may lack the latest relaxed commits.
    func visitAll(_ body: (_ key: RawSpan, _ value: RawSpan) -> Void) throws {
        try store.read(visibility: .published) { snapshot in
            guard let tree = try snapshot.treeIfPresent(named: name) else { return }
            try snapshot.scan(tree) { key, value in
                body(key, value)
                return .next
            }
        }
    }
}
