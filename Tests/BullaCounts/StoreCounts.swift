import Bulla

/// The allocations and system calls of a store's most frequent uses.
struct StoreCounts {
    private let store: Store
    private let records = CountedRecords()

    init(_ kind: String, _ path: String) throws {
        var options = StoreOptions()
        switch kind {
        case "gcm": options.suite = .aes256GCM
        case "ctrHMAC": options.suite = .aes256CTRHMACSHA256
        default: options.suite = nil
        }
        let bytes = (0..<64).map { UInt8($0 * 3 + 7) }
        let key = kind == "plain" ? nil : try StoreKey(bytes)
        // Pages that a commit wrote move in memory when they are read often; pages read from the
        // file stay in place. So write the store through one handle, and measure through another.
        let written = try Store.open(at: path, key: key, options: options)
        let records = records
        try written.write { change in
            let tree = try change.openOrCreateTree(named: CountedRecords.tree)
            for key in records.keys { try change.put(records.value, forKey: key, in: tree) }
        }
        try written.close()
        store = try Store.open(at: path, key: key, options: options)
    }

    func run() throws {
        // Do everything once before counting, so that allocations that a first use makes and keeps
        // are not counted. Read once more after the commits: the pages that they wrote move in
        // memory when they are read often, and this must happen before counting, too.
        try read(false)
        try commit(false)
        try read(false)
        try read(true)
        try commit(true)
        try store.close()
    }

    private func read(_ isCounted: Bool) throws {
        try readOne(isCounted)
        try readAgain(isCounted)
        try readInSnapshots(isCounted)
        try readRefreshing(isCounted)
        try copy(isCounted)
        try walk(isCounted)
    }

    private func count(
        _ name: String, _ isCounted: Bool, times: Int = 1, _ body: () throws -> Void
    ) rethrows {
        if isCounted { try Stretch.run(name, times: times, body) } else { try body() }
    }

    /// Reads in one snapshot.
    private func readOne(_ isCounted: Bool) throws {
        let (keys, absent) = (records.someKeys, records.absentKeys)
        try store.read { snapshot in
            let tree = try snapshot.tree(named: CountedRecords.tree)
            var sum = 0
            try count("reads", isCounted) {
                for key in keys {
                    try key.withBytes { key in
                        sum += try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } ?? 0
                    }
                }
            }
            try count("absences", isCounted) {
                for key in absent {
                    sum += try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } ?? 0
                }
            }
            try count("presences", isCounted) {
                for key in keys where try snapshot.contains(key, in: tree) { sum += 1 }
            }
            try check(sum, keys.count * (records.value.count + 1))
        }
    }

    /// Reads one record many times, without retaining or releasing anything itself.
    private func readAgain(_ isCounted: Bool) throws {
        let (key, count) = (records.keys[records.keys.count / 2], records.someKeys.count)
        try store.read { snapshot in
            let tree = try snapshot.tree(named: CountedRecords.tree)
            var sum = 0
            try key.withBytes { key in
                try self.count("same-reads", isCounted) {
                    for _ in 0..<count {
                        sum += try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } ?? 0
                        if try snapshot.contains(key, in: tree) { sum += 1 }
                    }
                }
            }
            try check(sum, count * (records.value.count + 1))
        }
    }

    /// Reads each record in a snapshot of its own.
    private func readInSnapshots(_ isCounted: Bool) throws {
        let keys = records.someKeys
        var sum = 0
        try count("snapshots", isCounted) {
            for _ in keys { sum += try store.read { snapshot in snapshot.commit == 0 ? 1 : 0 } }
        }
        try count("snapshot-reads", isCounted) {
            for key in keys {
                sum += try store.read { snapshot in
                    let tree = try snapshot.tree(named: CountedRecords.tree)
                    return try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } ?? 0
                }
            }
        }
        try check(sum, keys.count * records.value.count)
    }

    /// Moves a snapshot to the newest commit, which stays the same, before each read.
    private func readRefreshing(_ isCounted: Bool) throws {
        let (key, count) = (records.keys[records.keys.count / 2], records.someKeys.count)
        var snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: CountedRecords.tree)
        var sum = 0
        try key.withBytes { key in
            try self.count("refresh-reads", isCounted) {
                for _ in 0..<count {
                    if try snapshot.refresh() { sum += 1 }
                    sum += try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } ?? 0
                }
            }
        }
        try check(sum, count * records.value.count)
    }

    /// Copies values one by one, each into its own array, and together, into one array for all of
    /// them; then reads values together without copying them.
    private func copy(_ isCounted: Bool) throws {
        let keys = records.someKeys
        try store.read { snapshot in
            let tree = try snapshot.tree(named: CountedRecords.tree)
            var sum = 0
            try count("copies", isCounted) {
                for key in keys { sum += try snapshot.value(forKey: key, in: tree)?.count ?? 0 }
            }
            try count("batch", isCounted) {
                sum += try snapshot.values(forKeys: keys, in: tree).count
            }
            try check(sum, keys.count * (records.value.count + 1))
            try count("lent-batch", isCounted) {
                try snapshot.withValues(forKeys: keys, in: tree) { sum -= $1?.byteCount ?? 0 }
            }
            try count("batched-presences", isCounted) {
                for isThere in try snapshot.presence(ofKeys: keys, in: tree) where isThere {
                    sum -= 1
                }
            }
            try check(sum, 0)
        }
    }

    /// Visits all records, then a few.
    private func walk(_ isCounted: Bool) throws {
        let keys = records.keys
        try store.read { snapshot in
            let tree = try snapshot.tree(named: CountedRecords.tree)
            var sum = 0
            try count("scan", isCounted) {
                try snapshot.scan(tree) { key, _ in
                    sum += key.byteCount
                    return .next
                }
            }
            try count("run-scan", isCounted) {
                try snapshot.scanRuns(tree) { _, entries in
                    for index in entries.indices { sum += entries[index].key.count }
                    return .next
                }
            }
            try count("limited-scan", isCounted) {
                var left = 100
                try snapshot.scan(tree) { key, _ in
                    sum += key.byteCount
                    left -= 1
                    return left > 0 ? .next : .stop
                }
            }
            var cursor = try snapshot.makeCursor(in: tree)
            try count("cursor", isCounted) {
                while try cursor.moveToNext() { sum += try cursor.withKey { $0.byteCount } }
            }
            try check(sum, (3 * keys.count + 100) * keys[0].count)
        }
    }

    /// Changes one record.
    private func commit(_ isCounted: Bool) throws {
        for (name, durability) in [
            ("commit", Durability.full), ("relaxed-commit", .relaxed(within: .seconds(3600))),
        ] {
            // Only some commits set a timer or take pages from the free map, so the lowest count is
            // reported.
            try count(name, isCounted, times: 8) {
                try store.write(durability: durability) { change in
                    let tree = try change.tree(named: CountedRecords.tree)
                    try change.put(records.value, forKey: records.keys[0], in: tree)
                }
            }
        }
    }

    private func check(_ found: Int, _ expected: Int) throws {
        guard found == expected else { throw WrongSum(found: found, expected: expected) }
    }
}

/// The values read differ from those written.
struct WrongSum: Error {
    let found: Int
    let expected: Int
}

/// The records of the store: enough for a tree of three levels.
struct CountedRecords {
    static let tree = "records"

    let keys = (0..<10_000).map { Self.key("record", $0) }
    let value = [UInt8](repeating: 0x56, count: 100)

    /// One key in ten, not in the order of the tree.
    var someKeys: [[UInt8]] { (0..<1000).map { keys[$0 * 7919 % keys.count] } }

    var absentKeys: [[UInt8]] { (0..<1000).map { Self.key("absent", $0) } }

    /// A key of 23 bytes; keys sort in the order of their numbers.
    private static func key(_ name: String, _ number: Int) -> [UInt8] {
        let digits = String(number)
        return Array((name + String(repeating: "0", count: 17 - digits.count) + digits).utf8)
    }
}
