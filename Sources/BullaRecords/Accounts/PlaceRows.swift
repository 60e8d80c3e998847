internal import Bulla
internal import BullaMemory

/// Rows in one tree of an account keyring.
///
/// In most trees, the rows belong to a place, which is a container in one of its environments.
struct PlaceRows {
    private let store: Store
    private let tree: String
    private let prefix: [UInt8]

    init(_ store: Store, _ tree: String, _ place: Place) {
        (self.store, self.tree) = (store, tree)
        prefix = ByteTuple(tree, place).bytes
    }

    /// Rows that belong to no place.
    init(_ store: Store, _ tree: String) {
        (self.store, self.tree, prefix) = (store, tree, ByteTuple(tree).bytes)
    }

    /// The row with this key; `nil` if there is none.
    func row(_ key: [UInt8]) throws -> [UInt8]? {
        try store.read { snapshot in try row(key, in: snapshot) }
    }

    /// The row with this key in this snapshot; `nil` if there is none.
    func row(_ key: [UInt8], in snapshot: borrowing Snapshot) throws -> [UInt8]? {
        guard let tree = try snapshot.treeIfPresent(named: tree) else { return nil }
        return try snapshot.value(forKey: prefix + key, in: tree)
    }

    /// All rows whose keys begin with `start`, sorted by key.
    func rows(beginningWith start: [UInt8] = []) throws -> [(key: [UInt8], row: [UInt8])] {
        try store.read { snapshot in
            guard let tree = try snapshot.treeIfPresent(named: tree) else { return [] }
            var rows: [(key: [UInt8], row: [UInt8])] = []
            try snapshot.scan(tree, .prefix(prefix + start)) { key, row in
                let name = [UInt8](copying: key).dropFirst(prefix.count)
                rows.append((Array(name), [UInt8](copying: row)))
                return .next
            }
            return rows
        }
    }

    /// Inserts a row, unless its key already exists.
    ///
    /// - Returns: `false` if the key exists.
    func insert(_ row: [UInt8], _ key: [UInt8]) throws -> Bool {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: tree)
            guard try change.value(forKey: prefix + key, in: tree) == nil else { return false }
            try change.put(row, forKey: prefix + key, in: tree)
            return true
        }
    }

    /// Deletes rows.
    ///
    /// - Returns: how many of them existed.
    @discardableResult
    func delete(_ keys: [[UInt8]]) throws -> Int {
        guard !keys.isEmpty else { return 0 }
        return try store.write { change in
            guard let tree = try change.treeIfPresent(named: tree) else { return 0 }
            var count = 0
            for key in keys where try change.deleteIfPresent(prefix + key, in: tree) { count += 1 }
            return count
        }
    }
}
