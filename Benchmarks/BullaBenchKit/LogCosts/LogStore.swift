internal import Bulla
internal import BullaText

/// Where a store of a run is, and how it is opened.
package struct LogStorePlace: Codable, Sendable {
    var path: String
    /// The key in hexadecimal digits; nil for a plain store.
    var key: String?
    var treeCount = 1
    /// The length of each half of the log in bytes; when the log is full, about that many bytes
    /// wait for a checkpoint.
    var logByteCount: Int

    /// Opens the store; if that creates it, each half of the log has `logByteCount` bytes from the
    /// start.
    ///
    /// When a half is full, the store makes a checkpoint of it unasked. So the commits that wait
    /// for a checkpoint must fit in one half. A store opened here makes no checkpoint when it is
    /// idle.
    func open() throws -> Store {
        var options = StoreOptions()
        options.logByteLimit = 2 * logByteCount
        options.logHalfByteCount = UInt64(logByteCount)
        options.checkpointsWhenIdle = false
        let key = try RunKey.bytes(key, of: path).map { try StoreKey($0) }
        return try Store.open(at: path, key: key, options: options)
    }
}

/// A store whose log is filled and emptied on demand, and the records that it must hold.
final class LogStore {
    private static let readsPerSnapshot = 10_000

    private(set) var store: Store
    private let place: LogStorePlace
    private let records: LogRecords
    private let names: [[UInt8]]
    private(set) var model: LogModel

    /// Opens a store that holds the records of `model`; without a model, makes and loads a store.
    init(_ place: LogStorePlace, _ records: LogRecords, _ model: LogModel? = nil) throws {
        (self.place, self.records) = (place, records)
        self.model = model ?? LogModel(count: records.count)
        names = (0..<place.treeCount).map { Array("tree \($0)".utf8) }
        store = try place.open()
        if model == nil { try load() }
    }

    /// Loads all records in random order, 10 000 per commit, distributed over the trees.
    private func load() throws {
        var random = Random(seed: 4)
        let order = random.permutation(records.count)
        try order.indices.forEachPart(of: Workload.recordsPerCommit) { part in
            try store.write { transaction in
                let trees = try names.map { try transaction.openOrCreateTree(named: $0) }
                for place in order[part] {
                    try put(place, model.values[place], trees[place % trees.count], &transaction)
                }
            }
        }
        try settle()
    }

    private func put(
        _ place: Int, _ value: Int, _ tree: Tree, _ transaction: inout WriteTransaction
    ) throws {
        try records.keys.withBytes(place) { key in
            try records.values.withBytes(value) { try transaction.put($0, forKey: key, in: tree) }
        }
    }

    /// Makes checkpoints until no commit in the log waits for one.
    func settle() throws {
        let newest = try store.read(visibility: .published) { $0.commit }
        try store.waitUntilDurable(newest)
        while try store.checkpoint() {}
    }

    /// Gives the records at `places` their next values, in the order of `places`, in one commit.
    func change(_ places: [Int], _ durability: Durability = .full) throws {
        try store.write(durability: durability) { transaction in
            var (tree, former) = (try transaction.tree(named: names[0]), 0)
            for place in places {
                let number = place % names.count
                if number != former {
                    (tree, former) = (try transaction.tree(named: names[number]), number)
                }
                try put(place, model.advance(place), tree, &transaction)
            }
        }
    }

    /// Changes records of `range` until the commits that wait for a checkpoint fill nine tenths of
    /// a half of the log.
    ///
    /// - Returns: how many commits that took, each of ``LogModel/batchCount`` records.
    @discardableResult
    func fill(_ range: Range<Int>, _ random: inout Random) throws -> Int {
        var count = 0
        let goal = place.logByteCount / 10 * 9
        func commit() throws {
            try change(LogModel.batch(of: range, &random))
            count += 1
        }
        try settle()
        let start = try position()
        // The last commit can exceed the goal. If it might not fit in this half, the loop below
        // commits until the log continues in the next half, and the filling begins there.
        if Int(start.offset) + goal + LogModel.batchByteCount > place.logByteCount {
            while try position().sequence == start.sequence { try commit() }
            try settle()
        }
        while try store.info.log.unmergedByteCount < goal { try commit() }
        return count
    }

    private func position() throws -> LogPlace {
        guard let log = store.core.log.current else {
            throw BenchError(.store, "\(place.path) has no log")
        }
        return try log.shared.durablePosition().place
    }

    /// The processor time of one read of these records, when each snapshot serves 10 000 reads.
    func readTime(_ places: [Int]) throws -> Double {
        var (sum, seen): (UInt64, Int) = (0, 0)
        let start = Clock.processorTime
        try places.indices.forEachPart(of: Self.readsPerSnapshot) { part in
            try store.read { snapshot in
                let tree = try snapshot.tree(named: names[0])
                for place in places[part] {
                    try records.keys.withBytes(place) { key in
                        _ = try snapshot.withValue(forKey: key, in: tree) { value in
                            sum &+= RecordHash.glance(value)
                            seen += 1
                        }
                    }
                }
            }
        }
        let nanoseconds = Double(Clock.processorTime - start) / Double(places.count)
        let expected = places.reduce(0) { $0 &+ records.glance(ofValue: model.values[$1]) }
        try check(sum == expected && seen == places.count)
        return nanoseconds
    }

    /// The processor time of a scan of `range`, per record.
    func scanTime(_ range: Range<Int>) throws -> Double {
        let bounds = [range.lowerBound, range.upperBound - 1].map { place in
            records.keys.withBytes(place) { [UInt8](copying: $0) }
        }
        var (sum, seen): (UInt64, Int) = (0, 0)
        let start = Clock.processorTime
        try store.read { snapshot in
            let tree = try snapshot.tree(named: names[0])
            try snapshot.scan(tree, .from(bounds[0], through: bounds[1])) { key, value in
                sum &+= RecordHash.glance(key) &+ RecordHash.glance(value)
                seen += 1
                return .next
            }
        }
        let nanoseconds = Double(Clock.processorTime - start) / Double(range.count)
        let expected = range.reduce(0) { sum, place in
            sum &+ records.glance(ofKey: place)
                &+ records.glance(ofValue: model.values[place])
        }
        try check(sum == expected && seen == range.count)
        return nanoseconds
    }

    /// Commits changes, at least once, until `isOver` returns true.
    ///
    /// - Returns: how long the commits took, and the mean time and processor time of one.
    func commit(
        _ durability: Durability, _ draw: () -> [Int], until isOver: (_ now: UInt64) -> Bool
    ) throws -> (latency: Latency, nanoseconds: Double, processorNanoseconds: Double) {
        var latency = Latency()
        let (start, processorStart) = (Clock.now, Clock.processorTime)
        var former = start
        repeat {
            try change(draw(), durability)
            let now = Clock.now
            latency.record(now - former)
            former = now
        } while !isOver(former)
        let used = Double(Clock.processorTime - processorStart)
        let count = Double(latency.count)
        return (latency, Double(former - start) / count, used / count)
    }

    /// Checks that every record is there, with the value that it must have.
    func verify() throws {
        var digest = Digest()
        try store.read(visibility: .published) { snapshot in
            for name in names {
                try snapshot.scan(try snapshot.tree(named: name)) { key, value in
                    digest.add(RecordHash.hash(key, value))
                    return .next
                }
            }
        }
        try check(digest == model.digest(records))
    }

    private func check(_ isRight: Bool) throws {
        guard isRight else {
            throw BenchError(.digest, "\(place.path) did not give the records that were written")
        }
    }

    /// Empties the log by making checkpoints, and the memtables by reopening the store.
    ///
    /// While a process has the store open, it keeps the memtable of the half of the log that is in
    /// use.
    func empty() throws {
        try settle()
        try store.close()
        store = try place.open()
    }

    func close() throws { try store.close() }
}
