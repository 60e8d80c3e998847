internal import Bulla

/// Calls the verbs on a store in which anything can be wrong.
///
/// Each verb may fail, but only with the store's own error.
struct StoreVerbs {
    static let jobCount = 8

    let path: String
    let key: StoreKey?
    private let keys = ["a", "b", "c", "k1", "zz", ""].map { Array($0.utf8) }

    init(path: String, key: StoreKey?) {
        self.path = path
        self.key = key
    }

    static var options: StoreOptions {
        var options = StoreOptions()
        options.lockTimeout = .seconds(1)
        options.cacheByteLimit = 1 << 20
        options.dirtyByteLimit = 1 << 20
        return options
    }

    func run(job: Int) {
        attempt {
            let store = try Store.open(at: path, key: key, options: Self.options)
            attempt { try perform(job % Self.jobCount, store) }
            attempt { try store.close() }
        }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch {
            precondition(error is BullaError, "what fails is the store's own error")
        }
    }

    private func perform(_ job: Int, _ store: Store) throws {
        switch job {
        case 0: try read(store)
        case 1: _ = try store.check()
        case 2:
            try write(store) { change, tree in
                for key in keys { _ = try? change.put(key, forKey: key, in: tree) }
            }
        case 3:
            try write(store) { change, tree in
                for key in keys { try? change.delete(key, in: tree) }
            }
        case 4:
            try write(store) { change, tree in
                try change.deleteRange(.from("b", through: "k1"), in: tree)
                try change.put([UInt8](repeating: 1, count: 50_000), forKey: "b", in: tree)
            }
        case 5: try write(store) { change, tree in try change.deleteRange(.all, in: tree) }
        case 6: try scan(store)
        default: try dropAndFill(store)
        }
    }

    private func write(
        _ store: Store, _ body: (inout WriteTransaction, Tree) throws -> Void
    ) throws {
        try store.write { change in try body(&change, try change.tree(named: "t")) }
        _ = try store.check()
    }

    private func dropAndFill(_ store: Store) throws {
        attempt { try store.write { try $0.renameTree(named: "t", to: "other") } }
        attempt { try store.write { try $0.renameTree(named: "other", to: "t") } }
        attempt { try store.write { _ = try $0.dropTree(named: "t") } }
        for round in 0..<3 {
            try store.write { change in
                let tree =
                    try round == 0
                    ? change.openOrCreateTree(named: "new") : change.tree(named: "new")
                for number in 0..<100 { try change.put("value", forKey: "key \(number)", in: tree) }
            }
        }
    }

    private func read(_ store: Store) throws {
        let snapshot = try store.makeSnapshot()
        attempt { _ = try snapshot.treeNames() }
        let tree = try snapshot.tree(named: "t")
        for key in keys {
            attempt { _ = try snapshot.value(forKey: key, in: tree) }
            attempt { _ = try snapshot.withValue(forKey: key, in: tree) { $0.byteCount } }
            attempt { try stream(snapshot, key, tree) }
            attempt { try part(snapshot, key, tree) }
        }
        attempt { _ = try snapshot.values(forKeys: keys, in: tree) }
        attempt { try snapshot.withValues(forKeys: keys, in: tree) { _, _ in } }
        attempt { _ = try snapshot.presence(ofKeys: keys, in: tree) }
        attempt { _ = try snapshot.statistics(of: tree) }
        attempt { _ = try snapshot.first(in: tree) }
        attempt { _ = try snapshot.last(in: tree) }
    }

    private struct Enough: Error {}

    /// A value can claim any length, so the stream is read only in part.
    private func stream(_ snapshot: borrowing Snapshot, _ key: [UInt8], _ tree: Tree) throws {
        var count = 0
        do {
            _ = try snapshot.streamValue(forKey: key, in: tree) { part in
                count += part.byteCount
                if count > 1 << 20 { throw Enough() }
            }
        } catch is Enough {}
    }

    private func part(_ snapshot: borrowing Snapshot, _ key: [UInt8], _ tree: Tree) throws {
        var buffer = [UInt8](repeating: 0, count: 5000)
        for offset in [0, 4000, 1 << 40, Int.max] {
            _ = try snapshot.readValue(forKey: key, in: tree, at: offset, into: &buffer)
        }
    }

    private func scan(_ store: Store) throws {
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        for order in [ScanOrder.ascending, .descending] {
            attempt { try snapshot.scan(tree, order: order) { _, _ in .next } }
            let range = KeyRange.from("b", upTo: "n")
            attempt { try snapshot.scan(tree, range, order: order) { _, _ in .next } }
            attempt { try scanRuns(snapshot, tree, order) }
        }
        attempt { try walk(try snapshot.makeCursor(in: tree)) }
    }

    /// Takes every key and value out of the lent bytes; this traps if a key or a value lies outside
    /// them.
    private func scanRuns(
        _ snapshot: borrowing Snapshot, _ tree: Tree, _ order: ScanOrder
    ) throws {
        try snapshot.scanRuns(tree, order: order) { bytes, entries in
            for index in entries.indices {
                _ = bytes.extracting(entries[index].key)
                if let value = entries[index].value { _ = bytes.extracting(value) }
            }
            return .next
        }
    }

    private func walk(_ cursor: consuming Cursor) throws {
        var cursor = cursor
        var isThere = try cursor.moveToFirst()
        for _ in 0..<2000 where isThere {
            try cursor.withKey { _ in }
            try cursor.withValue { _ in }
            isThere = try cursor.moveToNext()
        }
        for key in ["a", "k1", "zz"] where try cursor.seek(to: key) {
            _ = try cursor.moveToPrevious()
        }
        _ = try cursor.moveToLast()
    }
}
