import Bulla
import BullaTestSupport
import Testing

@Suite struct `A snapshot` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) throws -> Store {
        // With a small cache, what an old snapshot sees is read again from the file.
        let store = try kind.open(scratch.path("s.bulla")) { $0.cacheByteLimit = 4096 }
        try fill(store, version: 0)
        return store
    }

    private func fill(_ store: Store, version: Int) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<1000 {
                try change.put("\(version)", forKey: "key \(number)", in: tree)
            }
        }
    }

    private func expectVersion(_ version: Int, _ snapshot: borrowing Snapshot) throws {
        let expected = Array("\(version)".utf8)
        var count = 0
        try snapshot.scan(try snapshot.tree(named: "t")) { _, value in
            count += value.equals(expected) ? 1 : 0
            return .next
        }
        #expect(count == 1000, "version \(version)")
    }

    @Test(arguments: StoreKind.allCases)
    func `sees one commit for as long as it is held`(kind: StoreKind) throws {
        let store = try open(kind)
        var held: [HeldSnapshot] = []
        for version in 1...20 {
            held.append(HeldSnapshot(try store.makeSnapshot(), ModelState()))
            try fill(store, version: version)
        }
        for (version, one) in held.enumerated() { try expectVersion(version, one.snapshot) }
        // Release some in an arbitrary order; each of the others still sees its own commit.
        for index in [3, 0, 10, 15, 1] {
            held.remove(at: index)
            try fill(store, version: 99)
        }
        let versions = Set(0..<20).subtracting([3, 0, 12, 18, 2]).sorted()
        for (version, one) in zip(versions, held) { try expectVersion(version, one.snapshot) }
    }

    @Test(arguments: StoreKind.allCases)
    func `goes to other tasks, several at once`(kind: StoreKind) async throws {
        let store = try open(kind)
        let held = HeldByTasks(try store.makeSnapshot())
        try fill(store, version: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try expectVersion(0, held.snapshot) } }
            try await group.waitForAll()
        }
    }

    @Test func `of what is published sees commits before their flush`() throws {
        let store = try open(.gcm)
        let before = try store.info.commit
        try store.write(durability: .relaxed(within: .seconds(3600))) { change in
            try change.put("yes", forKey: "relaxed", in: try change.tree(named: "t"))
        }
        let published = try store.makeSnapshot(visibility: .published)
        #expect(published.commit == before + 1)
        #expect(try published.contains("relaxed", in: try published.tree(named: "t")))
        // By default a snapshot sees the newest durable commit, which can be either of the two.
        #expect(try store.makeSnapshot().commit >= before)
    }

    @Test func `sees trees come and go`() throws {
        let store = try open(.gcm)
        let before = try store.makeSnapshot()
        try store.write { change in
            try change.dropTree(named: "t")
            try change.openOrCreateTree(named: "u")
        }
        let after = try store.makeSnapshot()
        #expect(try before.treeNames() == ["t"])
        #expect(try after.treeNames() == ["u"])
        #expect(try after.treeIfPresent(named: "t") == nil)
        try expectVersion(0, before)
    }

    @Test func `can be held many times over`() throws {
        let store = try open(.gcm)
        // At first, the coordination file has slots for fewer snapshots than these.
        let held = try (0..<400).map { _ in HeldSnapshot(try store.makeSnapshot(), ModelState()) }
        try fill(store, version: 1)
        try expectVersion(0, held[399].snapshot)
        try expectVersion(0, held[0].snapshot)
    }

    @Test(arguments: StoreKind.allCases)
    func `lends values inside of values`(kind: StoreKind) throws {
        let store = try open(kind)
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        // A thread can hold frames for only a few of these loans, and the others are copies.
        #expect(try nest(60, snapshot, tree) == 60)
    }

    private func nest(_ depth: Int, _ snapshot: borrowing Snapshot, _ tree: Tree) throws -> Int {
        guard depth > 0 else { return 0 }
        let key = Array("key \(depth * 13)".utf8)
        var count = 0
        try snapshot.withValue(forKey: key, in: tree) { value in
            count = try nest(depth - 1, snapshot, tree)
            // The value is still there, whatever was read meanwhile.
            if value.equals([0x30]) { count += 1 }
        }
        return count
    }

    @Test func `is lent through a closure that throws, and ends`() throws {
        struct Stop: Error {}
        let store = try open(.gcm)
        for _ in 0..<300 {
            #expect(throws: Stop.self) { try store.read { _ in throw Stop() } }
        }
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        #expect(throws: Stop.self) {
            try snapshot.withValue(forKey: "key 1", in: tree) { _ in throw Stop() }
        }
        #expect(throws: Stop.self) { try snapshot.scan(tree) { _, _ in throw Stop() } }
        try expectVersion(0, snapshot)
    }
}

/// A snapshot that tasks share.
private final class HeldByTasks: Sendable {
    let snapshot: Snapshot
    init(_ snapshot: consuming Snapshot) { self.snapshot = snapshot }
}
