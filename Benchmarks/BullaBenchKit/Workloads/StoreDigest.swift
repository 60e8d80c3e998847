internal import Bulla

/// Looks at everything that a store holds.
enum StoreDigest {
    /// The digest of all its records, and a check that they come in ascending order.
    ///
    /// It counts what is published: after a relaxed commit, a snapshot of what is durable may lack
    /// it.
    static func of(_ store: Store) throws -> Digest {
        var digest = Digest()
        var last: [UInt8] = []
        var isAscending = true
        try store.read(.published) { snapshot in
            guard let tree = try snapshot.treeIfExists(recordsTree) else { return }
            try snapshot.scan(tree) { key, value in
                digest.add(RecordHash.hash(key, value))
                let key = [UInt8](key)
                isAscending = isAscending && (last.isEmpty || last.lexicographicallyPrecedes(key))
                last = key
                return .next
            }
        }
        guard isAscending else { throw BenchError(.digest, "a scan gave keys out of order") }
        return digest
    }

    /// Reads every record once by scanning, so that what is measured next finds all of them at
    /// hand.
    static func warm(_ store: Store) throws {
        var sum: UInt64 = 0
        try store.read { snapshot in
            guard let tree = try snapshot.treeIfExists(recordsTree) else { return }
            try snapshot.scan(tree) { key, value in
                sum &+= RecordHash.glance(key) &+ RecordHash.glance(value)
                return .next
            }
        }
    }
}
