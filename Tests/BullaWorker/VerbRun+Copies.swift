import Bulla
import BullaTestSupport

extension VerbRun {
    /// Streams out a small and a large value, and reads a part of each.
    func readParts() throws {
        try put()
        let big = numbered(key, 1)
        try write { change, tree in
            try big.withBytes { key in
                try value.lend(times: 4000) { try change.put($0, forKey: key, in: tree) }
            }
        }
        try store.read { snapshot in
            try readParts(snapshot, try snapshot.tree(named: tree), [key, big])
        }
        try write { change, tree in try readParts(change, tree, [key, big]) }
    }

    private func readParts(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree, _ keys: [Canary]
    ) throws {
        var buffer = [UInt8](repeating: 0, count: 100_000)
        for key in keys {
            _ = try reader.streamValue(forKey: key, in: tree) { _ in }
            _ = try reader.readValue(forKey: key, in: tree, at: 0, into: &buffer)
        }
        Canary.wipe(&buffer)
    }

    func scan() throws {
        try put()
        try store.read { try scan($0, try $0.tree(named: tree)) }
        try write { change, tree in try scan(change, tree) }
    }

    /// Scans without a bound, and with one.
    ///
    /// The bound lies in the caller's memory, but is shorter than any piece that a search of memory
    /// looks for.
    private func scan(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree
    ) throws {
        var bound = Array(key.array().prefix(8))
        for order in [ScanOrder.ascending, .descending] {
            try reader.scan(tree, order: order) { _, _ in .next }
            try reader.scan(tree, .prefix(bound), order: order) { _, _ in .next }
        }
        Canary.wipe(&bound)
    }

    func ends() throws {
        try put()
        try store.read { snapshot in
            let tree = try snapshot.tree(named: tree)
            for entry in [try snapshot.first(in: tree), try snapshot.last(in: tree)] {
                var (key, value) = (entry?.key, entry?.value)
                Canary.wipe(&key)
                Canary.wipe(&value)
            }
        }
    }

    func names() throws {
        try put()
        let doomed = numbered(tree, 1)
        try store.write { change in
            try change.openOrCreateTree(named: doomed)
            try change.forEachTree { _, _ in }
        }
        try store.read { snapshot in
            try snapshot.forEachTree { _, _ in }
            _ = try snapshot.treeIfPresent(named: doomed)
        }
        try store.write { change in
            _ = try change.treeIfPresent(named: tree)
            try change.dropTree(named: doomed)
            try change.dropTree(named: doomed)
        }
    }

    /// Inserts enough long keys for leaves and branches to split, so that branches hold keys.
    func split() throws {
        try write { change, tree in
            for number in 0..<6000 {
                try change.put(value, forKey: numbered(key, number &* 7919 % 6000), in: tree)
            }
        }
    }

    func deleteRange() throws {
        try split()
        var bound = Array(key.array().prefix(8))
        // Delete single keys first, so that pages are joined.
        try write { change, tree in
            for number in 0..<4000 { try change.delete(numbered(key, number), in: tree) }
        }
        try write { change, tree in try change.deleteRange(.prefix(bound), in: tree) }
        Canary.wipe(&bound)
    }

    func savepoint() throws {
        struct Undone: Error {}
        try write { change, tree in
            try change.put(value, forKey: key, in: tree)
            do {
                try change.withSavepoint { part in
                    try part.put(value, forKey: numbered(key, 1), in: tree)
                    try part.openOrCreateTree(named: numbered(self.tree, 1))
                    throw Undone()
                }
            } catch is Undone {}
            try change.withSavepoint { try $0.put(value, forKey: numbered(key, 2), in: tree) }
        }
    }

    func group() throws {
        let (tree, key, value) = (tree, key, value)
        try store.groupWrite { change in
            try change.put(value, forKey: key, in: try change.openOrCreateTree(named: tree))
        }
    }

    func compareAndSet() throws {
        try put()
        try write { change, tree in
            var (expected, new) = (value.array(), value.array())
            let isSet = try change.compareAndSet(
                forKey: key, expected: expected, new: new, in: tree)
            guard isSet else { throw WorkerFailure.impossible("a value is another one") }
            Canary.wipe(&expected)
            Canary.wipe(&new)
        }
    }

    /// Copies the whole store, under another key if the verb takes one.
    func copyStore() throws {
        let copy = "\(store.path).\(verb)"
        switch verb {
        case .compact: try store.compact(to: copy, key: try copiesKey())
        case .backup: _ = try store.backup(to: copy)
        case .salvage:
            _ = try Store.check(at: store.path, key: storeKey)
            _ = try Store.salvage(from: store.path, to: copy, key: storeKey)
        case .changeKey: if let key = try copiesKey() { try store.changeKey(to: key) }
        default:
            guard try store.check().isSound else { throw WorkerFailure.impossible("damage") }
        }
    }

    private func copiesKey() throws -> StoreKey? {
        guard storeKey != nil else { return nil }
        return try newKey.lend(times: 2) { bytes in try StoreKey(bytes) }
    }
}
