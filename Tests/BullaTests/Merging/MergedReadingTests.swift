import Bulla
import BullaMemory
import BullaTestSupport
import Synchronization
import Testing

@Suite struct `A tree under memtables` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func key(_ number: Int) -> [UInt8] { Array("\(number + 1_000_000)".utf8) }

    /// Makes a store with a tree "t" that has a key for each number of a range.
    private func open(_ numbers: Range<Int>, _ kind: StoreKind = .gcm) throws -> Store {
        let store = try kind.open(scratch.path("s.bulla"), pageByteCount: 4096) {
            $0.cacheByteLimit = 4096
        }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in numbers {
                try change.put(Self.key(number), forKey: Self.key(number), in: tree)
            }
        }
        try store.takeOverLog()
        return store
    }

    /// Lends the store's content as it is seen through memtables with these deletions and puts.
    private func withMerged(
        _ store: Store, newer: Changes = .init(), older: Changes = .init(), told: Told? = nil,
        _ body: (borrowing Snapshot, Tree) throws -> Void
    ) throws {
        let tree = try store.makeSnapshot().tree(named: "t")
        let newer = try newer.memtable(UInt64(tree.number))
        let older = try older.memtable(UInt64(tree.number))
        try newer.read { newer in
            try older.read { older in
                let merged = try store.makeSnapshot(
                    under: MemtablePair(newer: newer, older: older),
                    reportTombstones: { told?.note() })
                try body(merged, tree)
            }
        }
    }

    private struct Changes {
        var gone: Range<Int> = 0..<0
        var put: Range<Int> = 0..<0
        var value: [UInt8] = [1]

        func memtable(_ tree: UInt64) throws -> HeldModel {
            let table = try Memtable(byteLimit: 32 << 20)
            var edit = try table.edit()
            for number in gone { try edit.put(tree, key(number), nil) }
            for number in put { try edit.put(tree, key(number), value) }
            return try HeldModel(table, edit.publish())
        }
    }

    /// Counts how many times it was told of tombstones.
    private final class Told: Sendable {
        private let number = Atomic(0)

        var count: Int { number.load(ordering: .relaxed) }

        func note() { number.add(1, ordering: .relaxed) }
    }

    @Test(arguments: [(4000, 0), (4100, 1), (20_000, 4)])
    func `tells of thousands of tombstones in a row`(count: Int, toldCount: Int) throws {
        let store = try open(0..<count + 10)
        let told = Told()
        try withMerged(store, newer: Changes(gone: 5..<5 + count), told: told) { merged, tree in
            try merged.scan(tree) { _, _ in .next }
            #expect(told.count == toldCount)
            try merged.scan(tree, order: .descending) { _, _ in .next }
            #expect(told.count == 2 * toldCount)
            var cursor = try merged.makeCursor(in: tree)
            #expect(try cursor.seek(to: Self.key(5)))
            #expect(try cursor.withKey { $0.equals(Self.key(5 + count)) })
            #expect(told.count == 3 * toldCount)
            #expect(try cursor.moveToPrevious())
            #expect(try cursor.withKey { $0.equals(Self.key(4)) })
            #expect(told.count == 4 * toldCount)
            let left = try merged.count(of: tree)
            #expect(left == 10)
        }
    }

    /// Every second key exists, either in the tree or in the memtable.
    @Test(arguments: [20_000, 0])
    func `tells of no tombstones that entries stand between`(storedCount: Int) throws {
        let store = try open(0..<storedCount)
        let told = Told()
        let tree = try store.makeSnapshot().tree(named: "t")
        let table = try Memtable(byteLimit: 32 << 20)
        var edit = try table.edit()
        for number in stride(from: 0, to: 20_000, by: 2) {
            try edit.put(UInt64(tree.number), Self.key(number), nil)
            guard storedCount == 0 else { continue }
            try edit.put(UInt64(tree.number), Self.key(number + 1), [])
        }
        let held = try HeldModel(table, edit.publish())
        try held.read { view in
            let merged = try store.makeSnapshot(
                under: MemtablePair(newer: view), reportTombstones: { told.note() })
            var count = 0
            try merged.scan(tree) { _, _ in
                count += 1
                return .next
            }
            #expect(count == 10_000)
        }
        #expect(told.count == 0)
    }

    @Test func `that is wholly deleted is empty`() throws {
        let store = try open(0..<9000)
        try withMerged(store, older: Changes(gone: 0..<9000)) { merged, tree in
            let (first, last) = (try merged.first(in: tree), try merged.last(in: tree))
            let count = try merged.count(of: tree)
            #expect(first == nil && last == nil && count == 0)
            var cursor = try merged.makeCursor(in: tree)
            #expect(try !cursor.moveToFirst() && !cursor.moveToNext() && !cursor.moveToLast())
        }
    }

    @Test func `has what the newer memtable puts over the older one's tombstones`() throws {
        let store = try open(0..<300)
        let (newer, older) = (Changes(put: 100..<150, value: [7]), Changes(gone: 50..<200))
        try withMerged(store, newer: newer, older: older) { merged, tree in
            let count = try merged.count(of: tree)
            let values = try merged.values(forKeys: [Self.key(100), Self.key(99)], in: tree)
            #expect(count == 200 && values == [[7], nil])
        }
        try withMerged(store, newer: older, older: newer) { merged, tree in
            let count = try merged.count(of: tree)
            let values = try merged.values(forKeys: [Self.key(100), Self.key(99)], in: tree)
            #expect(count == 150 && values == [nil, nil])
        }
    }

    /// The cache has fewer frames than there are cursors.
    @Test(arguments: StoreKind.allCases)
    func `is walked by any number of cursors, which hold no page`(kind: StoreKind) throws {
        let store = try open(0..<20_000, kind)
        let (newer, older) = (Changes(gone: 0..<400), Changes(put: 19_000..<19_500))
        try withMerged(store, newer: newer, older: older) { merged, tree in
            var cursors: [CursorBox] = []
            for place in 0..<600 {
                let box = CursorBox(try merged.makeCursor(in: tree))
                #expect(try box.cursor.seek(to: Self.key(400 + place * 32)))
                cursors.append(box)
            }
            for (place, box) in cursors.enumerated() {
                #expect(try box.cursor.withKey { $0.equals(Self.key(400 + place * 32)) })
                let isThere = try box.cursor.moveToPrevious()
                #expect(isThere == (place > 0))
            }
        }
    }

    @Test func `has the names that memtables give, beside those of the catalog`() throws {
        let store = try open(0..<100)
        try store.write { change in
            for name in ["a", "gone", "z"] { _ = try change.createTree(named: name) }
        }
        let numbers = try store.read { snapshot in
            try ["t", "a", "z"].map { UInt64(try snapshot.tree(named: $0).number) }
        }
        let table = try Memtable(byteLimit: 1 << 20)
        var edit = try table.edit()
        try edit.putName("gone", nil)
        // Two trees exchange names, one is renamed twice, and one is new.
        try edit.putName("t", numbers[1])
        try edit.putName("a", numbers[0])
        try edit.putName("z", nil)
        try edit.putName("y", nil)
        try edit.putName("b", numbers[2])
        try edit.putName("new", 77)
        let held = try HeldModel(table, edit.publish())
        try held.read { view in
            let merged = try store.makeSnapshot(under: MemtablePair(newer: view))
            var found: [(String, Int, Int)] = []
            try merged.forEachTree { name, tree in
                found.append((name.withView { $0.text }, tree.number, try merged.count(of: tree)))
                #expect(try merged.tree(named: name) == tree)
            }
            #expect(found.map(\.0) == ["a", "b", "new", "t"])
            #expect(found.map(\.1) == [numbers[0], numbers[2], 77, numbers[1]].map { Int($0) })
            #expect(found.map(\.2) == [100, 0, 0, 0])
            for name in ["gone", "z", "y", "other"] {
                #expect(try merged.treeIfPresent(named: name) == nil)
            }
        }
    }

    @Test func `is refused where memtables name a tree that the catalog lacks`() throws {
        let store = try open(0..<3)
        let table = try Memtable(byteLimit: 1 << 20)
        var edit = try table.edit()
        try edit.putName("u", 0)
        try edit.put(0, [1] + "v".utf8, [1, 2, 3])
        let held = try HeldModel(table, edit.publish())
        try held.read { view in
            let merged = try store.makeSnapshot(under: MemtablePair(newer: view))
            for name in ["u", "v"] {
                let error = try #require(throws: BullaError.self) {
                    _ = try merged.treeIfPresent(named: name)
                }
                #expect(error.code == .corrupted)
            }
            #expect(throws: BullaError.self) { try merged.forEachTree { _, _ in } }
        }
    }

    private final class CursorBox {
        var cursor: Cursor
        init(_ cursor: consuming Cursor) { self.cursor = cursor }
    }
}
