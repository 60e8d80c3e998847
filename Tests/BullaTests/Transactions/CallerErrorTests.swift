import Bulla
import BullaTestSupport
import Testing

@Suite struct `An error that a caller's closure throws` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func fill(_ store: Store, version: Int = 0) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<2000 {
                try change.put("\(version)", forKey: "key \(number)", in: tree)
            }
        }
        // A checkpoint frees the former pages, which the snapshot sees.
        try store.takeOverLog()
    }

    /// Expects that a caller that throws an error of its own gets that error, although its snapshot
    /// has been ended meanwhile.
    private func expectOwn(_ read: (borrowing Snapshot, () throws -> Void) throws -> Void) throws {
        let store = try StoreKind.gcm.open(scratch.path("s.bulla")) { options in
            options.cacheByteLimit = 4096
            options.snapshotCommitLimit = 4
        }
        try fill(store)
        let snapshot = try store.makeSnapshot()
        var count = 0
        let error = refusal {
            try read(snapshot) {
                count += 1
                for version in 1...40 { try fill(store, version: version) }
                throw BullaError(.corrupted, "the caller's own")
            }
        }
        #expect(count == 1)
        #expect(error?.code == .corrupted)
        #expect(error?.message == "the caller's own")
        // The snapshot was really ended: the store's own error says so.
        let expiry = refusal { try snapshot.scan(try snapshot.tree(named: "t")) { _, _ in .next } }
        #expect(expiry?.code == .snapshotExpired)
        _ = consume snapshot
        try store.close()
    }

    @Test func `comes out of a lent value as it is`() throws {
        try expectOwn { snapshot, fail in
            _ = try snapshot.withValue(forKey: "key 7", in: try snapshot.tree(named: "t")) { _ in
                try fail()
            }
        }
    }

    @Test func `comes out of a scan as it is`() throws {
        try expectOwn { snapshot, fail in
            try snapshot.scan(try snapshot.tree(named: "t")) { _, _ in
                try fail()
                return .next
            }
        }
    }

    @Test func `comes out of a scan that lends runs as it is`() throws {
        try expectOwn { snapshot, fail in
            try snapshot.scanRuns(try snapshot.tree(named: "t")) { _, _ in
                try fail()
                return .next
            }
        }
    }

    @Test func `comes out of a visit of the trees as it is`() throws {
        try expectOwn { snapshot, fail in try snapshot.forEachTree { _, _ in try fail() } }
    }

    @Test func `comes out of a cursor's entry as it is`() throws {
        try expectOwn { snapshot, fail in
            var cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
            #expect(try cursor.moveToFirst())
            try cursor.withValue { _ in try fail() }
        }
    }
}
