import Bulla
import BullaTestSupport
import Testing

/// Case 24, the policy: a snapshot that lags too far behind can be ended.
@Suite struct `24. A snapshot under a limit of commits` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, limit: Int?) throws -> Store {
        try kind.open(scratch.path("s.bulla")) { options in
            // With a small cache, what an old snapshot sees is read again from the file.
            options.cacheByteLimit = 4096
            options.snapshotCommitLimit = limit
            options.fixLog(halfByteCount: 64 << 10)
        }
    }

    private func fill(_ store: Store, version: Int) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<2000 {
                try change.put("\(version)", forKey: "key \(number)", in: tree)
            }
        }
        try store.takeOverLog()
    }

    @Test(arguments: StoreKind.encrypted)
    func `is ended when writers need its pages, and says so`(kind: StoreKind) throws {
        let store = try open(kind, limit: 4)
        try fill(store, version: 0)
        let snapshot = try store.makeSnapshot()
        for version in 1...40 { try fill(store, version: version) }
        do {
            _ = try snapshot.values()
            Issue.record("the snapshot still reads pages that were written anew")
        } catch let error as BullaError {
            #expect(error.code == .snapshotExpired, "\(error)")
            #expect(error.commit == snapshot.commit)
        }
        _ = consume snapshot
        // The end of the old snapshot does not affect a new one.
        let fresh = try store.makeSnapshot()
        #expect(try fresh.values() == [Array("40".utf8)])
        _ = consume fresh
        try store.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `lasts where there is no limit, and the file tells who holds it back`(
        kind: StoreKind
    ) throws {
        let store = try open(kind, limit: nil)
        try fill(store, version: 0)
        let snapshot = try store.makeSnapshot()
        for version in 1...40 { try fill(store, version: version) }
        #expect(try snapshot.values() == [Array("0".utf8)])
        let info = try store.info
        #expect(info.snapshotCount == 1)
        #expect(info.oldestSnapshotCommit == snapshot.commit)
        #expect(info.pendingPageCount > 0)
        // The rule of births: pages made and freed after the snapshot are reused. Without the rule,
        // forty commits that rewrite everything would take eight hundred pages.
        #expect(info.pageCount < 332, "\(info)")
        _ = consume snapshot
        #expect(try store.info.snapshotCount == 0)
        try store.close()
    }

    @Test(arguments: StoreKind.encrypted)
    func `keeps the file as small as without it`(kind: StoreKind) throws {
        let store = try open(kind, limit: 4)
        try fill(store, version: 0)
        let snapshot = try store.makeSnapshot()
        for version in 1...20 { try fill(store, version: version) }
        let early = try store.info.pageCount
        for version in 21...80 { try fill(store, version: version) }
        #expect(try store.info.pageCount <= early + early / 4)
        _ = consume snapshot
        try store.close()
    }

    /// The checker has its own snapshot, and reports progress before it reaches the tree whose
    /// pages are then rewritten; it must not take these pages for damage.
    @Test(arguments: StoreKind.encrypted, [false, true])
    func `is ended beneath a check or a salvage of the file, which says so`(
        kind: StoreKind, isSalvage: Bool
    ) throws {
        let store = try open(kind, limit: 4)
        try store.write { change in
            let value = [UInt8](repeating: 7, count: 1100 * 4096)
            try change.put(value, forKey: "large", in: try change.createTree(named: "a"))
        }
        try fill(store, version: 0)
        let (path, key) = (scratch.path("s.bulla"), try kind.key())
        var isFirst = true
        func progress(_: TaskProgress) {
            guard isFirst else { return }
            isFirst = false
            #expect(throws: Never.self) {
                for version in 1...40 { try fill(store, version: version) }
            }
        }
        let error = refusal {
            if isSalvage {
                _ = try Store.salvage(
                    from: path, to: scratch.path("saved"), key: key, progress: progress)
            } else {
                _ = try Store.check(at: path, key: key, progress: progress)
            }
        }
        #expect(error?.code == .snapshotExpired, "\(String(describing: error))")
        #expect(!scratch.exists("saved"))
        #expect(try Store.check(at: path, key: key).isSound)
        try store.close()
    }

    /// A compaction reports progress after 4096 entries, before it reaches the tree whose pages are
    /// then rewritten.
    @Test(arguments: StoreKind.encrypted)
    func `is ended beneath a compaction, which says so`(kind: StoreKind) throws {
        let store = try open(kind, limit: 4)
        let writer = try open(kind, limit: 4)
        try store.write { change in
            let tree = try change.createTree(named: "a")
            for number in 0..<4096 { try change.put("v", forKey: "key \(number)", in: tree) }
        }
        try fill(store, version: 0)
        var isFirst = true
        let error = refusal {
            try store.compact(to: scratch.path("copy"), key: try kind.key()) { _ in
                guard isFirst else { return }
                isFirst = false
                #expect(throws: Never.self) {
                    for version in 1...40 { try fill(writer, version: version) }
                }
            }
        }
        #expect(error?.code == .snapshotExpired, "\(String(describing: error))")
        #expect(!isFirst && !scratch.exists("copy"))
        try writer.close()
        try store.close()
    }

    @Test func `of a plain store is refused`() throws {
        let error = refusal { _ = try open(.plain, limit: 4) }
        #expect(error?.code == .invalidArgument)
        #expect(try scratch.names() == [])
    }
}
