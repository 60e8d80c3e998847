import Bulla
import BullaTestSupport
import Testing

@Suite struct `A refreshed snapshot` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, _ adjust: (inout StoreOptions) -> Void = { _ in }) throws
        -> Store
    {
        let store = try kind.open(scratch.path("s.bulla")) { adjust(&$0) }
        try put("0", store)
        return store
    }

    private func put(_ value: String, _ store: Store, _ durability: Durability = .full) throws {
        try store.write(durability: durability) { change in
            try change.put(value, forKey: "k", in: try change.openOrCreateTree(named: "t"))
        }
    }

    private func expect(
        _ snapshot: borrowing Snapshot, holds value: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try snapshot.value(forKey: "k", in: try snapshot.tree(named: "t"))
        #expect(found == Array(value.utf8), sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases)
    func `sees the newest commit, whatever the trees and the log hold`(kind: StoreKind) throws {
        let store = try open(kind)
        var snapshot = try store.makeSnapshot()
        for number in 1...40 {
            try put("\(number)", store)
            if number % 3 == 0 { try store.takeOverLog() }
            #expect(try snapshot.refresh())
            try expect(snapshot, holds: "\(number)")
            #expect(try snapshot.commit == store.info.commit)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `stays where it is if nothing was committed`(kind: StoreKind) throws {
        let store = try open(kind)
        var snapshot = try store.makeSnapshot()
        let (tree, commit) = (try snapshot.tree(named: "t"), snapshot.commit)
        for _ in 0..<3 {
            #expect(try !snapshot.refresh())
            #expect(snapshot.commit == commit)
            #expect(try snapshot.value(forKey: "k", in: tree) == [0x30])
        }
    }

    @Test func `that has moved refuses handles from before`() throws {
        let store = try open(.gcm)
        var snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        try put("1", store)
        #expect(try snapshot.refresh())
        #expect(refusal { _ = try snapshot.value(forKey: "k", in: tree) }?.code == .invalidArgument)
    }

    @Test func `moves to the trees that have taken over the log`() throws {
        let store = try open(.gcm)
        var snapshot = try store.makeSnapshot()
        let commit = snapshot.commit
        try store.takeOverLog()
        #expect(try snapshot.refresh())
        #expect(snapshot.commit == commit)
        #expect(try store.info.oldestSnapshotCommit == commit)
        try expect(snapshot, holds: "0")
    }

    @Test func `holds no pages of its former commit`() throws {
        let store = try open(.gcm)
        var snapshot = try store.makeSnapshot()
        try put("1", store)
        try store.takeOverLog()
        try snapshot.refresh()
        #expect(try store.info.snapshotCount == 1)
        #expect(try store.info.oldestSnapshotCommit == snapshot.commit)
    }

    @Test func `leaves its cursors at their commit`() throws {
        let store = try open(.gcm)
        var snapshot = try store.makeSnapshot()
        var cursor = try snapshot.makeCursor(in: try snapshot.tree(named: "t"))
        try put("1", store)
        try snapshot.refresh()
        #expect(try cursor.moveToNext())
        #expect(try cursor.withValue { $0.copied() } == [0x30])
        try expect(snapshot, holds: "1")
    }

    @Test func `of what is published sees commits before their flush`() throws {
        let store = try open(.gcm)
        var snapshot = try store.makeSnapshot(visibility: .published)
        try put("1", store, .relaxed(within: .seconds(3600)))
        #expect(try snapshot.refresh(visibility: .published))
        try expect(snapshot, holds: "1")
        #expect(try !snapshot.refresh(visibility: .published))
    }

    @Test func `sees commits through another handle`() throws {
        let store = try open(.gcm)
        let other = try StoreKind.gcm.open(scratch.path("s.bulla"))
        var snapshot = try store.makeSnapshot()
        for number in 1...10 {
            try put("\(number)", other)
            #expect(try snapshot.refresh())
            try expect(snapshot, holds: "\(number)")
        }
    }

    @Test func `can be used again after it was ended`() throws {
        let store = try open(.gcm) { options in
            options.snapshotCommitLimit = 2
            options.fixLog(halfByteCount: 64 << 10)
        }
        var snapshot = try store.makeSnapshot()
        for number in 1...20 {
            try put("\(number)", store)
            try store.takeOverLog()
        }
        try snapshot.refresh()
        try expect(snapshot, holds: "20")
    }

    @Test func `of a closed store stays as it was`() throws {
        let store = try open(.gcm)
        var snapshot = try store.makeSnapshot()
        let commit = snapshot.commit
        try store.close()
        #expect(refusal { try snapshot.refresh() }?.code == .closed)
        #expect(snapshot.commit == commit)
    }
}
