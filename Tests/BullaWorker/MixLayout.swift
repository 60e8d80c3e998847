package import Bulla

/// The content of a store in which workers mix operations.
package enum MixLayout {
    /// Balances, whose sum never changes.
    package static let accounts = "accounts"
    package static let accountCount = 32
    package static let initialBalance: UInt64 = 1000
    /// Two keys, which always have the same value.
    package static let linked = "linked"
    package static let left = "left"
    package static let right = "right"
    /// Numbers that only grow.
    package static let counters = "counters"
    package static let counterCount = 8
    /// Keys that only one thread changes.
    package static let owned = "owned"

    package static func account(_ index: Int) -> String { "account-\(index)" }
    package static func counter(_ index: Int) -> String { "counter-\(index)" }
    package static func ownedPrefix(worker: Int, thread: Int) -> String { "w\(worker)t\(thread)-" }

    /// Makes the trees, and gives every account its balance.
    package static func create(in store: Store) throws {
        try store.write { change in
            let accounts = try change.openOrCreateTree(named: accounts)
            for index in 0..<accountCount {
                try change.put(initialBalance.bytes, forKey: account(index), in: accounts)
            }
            let linked = try change.openOrCreateTree(named: linked)
            for key in [left, right] { try change.put(UInt64(0).bytes, forKey: key, in: linked) }
            let counters = try change.openOrCreateTree(named: counters)
            for index in 0..<counterCount {
                try change.put(UInt64(0).bytes, forKey: counter(index), in: counters)
            }
            try change.openOrCreateTree(named: owned)
        }
    }
}

extension TreeReader where Self: ~Copyable {
    /// The number under a key; 0 if there is none.
    package func number(_ key: String, in tree: Tree) throws -> UInt64 {
        UInt64(try value(forKey: key, in: tree) ?? [])
    }

    /// The sum of all numbers of a tree.
    package func sum(of name: String) throws -> UInt64 {
        var sum: UInt64 = 0
        try scan(try tree(named: name)) { _, value in
            sum += value.withBytes { UInt64($0) }
            return .next
        }
        return sum
    }

    /// The digest of a range.
    package func digest(of name: String, _ range: KeyRange = .all) throws -> EntryDigest {
        var digest = EntryDigest()
        try scan(try tree(named: name), range) { key, value in
            digest.add(key, value)
            return .next
        }
        return digest
    }
}
