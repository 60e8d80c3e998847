import Bulla
import BullaWorker

/// Entries of one tree that are overwritten repeatedly.
struct Records {
    static let tree = "records"
    static let valueByteCount = 100

    let count: Int

    func key(_ index: Int) -> [UInt8] { UInt64(index).bytes }

    func value(_ index: Int, _ version: Int) -> [UInt8] {
        UInt64(index &* 0x1_0001 &+ version).bytes
            + [UInt8](repeating: UInt8(truncatingIfNeeded: version), count: Self.valueByteCount - 8)
    }

    /// Writes all entries in one commit.
    func write(
        to store: Store, version: Int, durability: Durability = Self.relaxed
    ) throws {
        try write(to: store, indices: 0..<count, version: version, durability: durability)
    }

    /// Writes one entry in one commit.
    func touch(_ store: Store, version: Int) throws {
        try write(to: store, indices: 0..<1, version: version, durability: .full)
    }

    func write(
        to store: Store, indices: some Sequence<Int>, version: Int,
        durability: Durability = Self.relaxed
    ) throws {
        try store.write(durability: durability) { change in
            let tree = try change.openOrCreateTree(named: Self.tree)
            for index in indices {
                try change.put(value(index, version), forKey: key(index), in: tree)
            }
        }
    }

    func deleteAll(from store: Store) throws {
        try store.write(durability: Self.relaxed) { change in
            try change.deleteRange(.all, in: try change.tree(named: Self.tree))
        }
    }

    /// The digest of a version of all entries.
    func digest(version: Int) -> EntryDigest {
        var digest = EntryDigest()
        for index in 0..<count {
            key(index).withBytes { key in value(index, version).withBytes { digest.add(key, $0) } }
        }
        return digest
    }

    static let relaxed = Durability.relaxed(within: .milliseconds(50))
}
