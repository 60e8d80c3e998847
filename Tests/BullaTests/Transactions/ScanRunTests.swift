import Bulla
import BullaTestSupport
import Testing

@Suite struct `A scan that lends runs` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func key(_ number: Int) -> [UInt8] { Array("\(number + 1_000_000)".utf8) }

    /// A store with a tree "t" of short entries, all in pages, with even numbers as keys.
    private func open(
        _ count: Int, _ kind: StoreKind = .gcm, pageByteCount: Int = 4096,
        _ adjust: (inout StoreOptions) -> Void = { _ in }
    ) throws -> Store {
        let store = try kind.open(
            scratch.path("s.bulla"), pageByteCount: pageByteCount, adjust)
        try store.write { change in
            let tree = try change.createTree(named: "t")
            for number in 0..<count {
                try change.put("\(number)", forKey: Self.key(2 * number), in: tree)
            }
        }
        try store.takeOverLog()
        return store
    }

    private typealias Entry = (key: [UInt8], value: [UInt8])

    private static let orders = [ScanOrder.ascending, .descending]
    private static let ranges: [KeyRange] = [
        .all, .prefix(Array(key(2000).prefix(5))), .from(key(1001)), .upTo(key(700)),
        .through(key(700)), .from(key(640), through: key(1900)), .from(key(5), upTo: key(6)),
        .from("2"), .upTo("0"),
    ]

    /// Expects that both forms of a scan give the same entries, in each range and each order.
    private func expectSame(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree, atLeast count: Int
    ) throws {
        for range in Self.ranges {
            for order in Self.orders {
                var expected: [Entry] = []
                try reader.scan(tree, range, order: order) { key, value in
                    expected.append((key.copied(), value.copied()))
                    return .next
                }
                let found = try entries(reader, tree, range, order)
                let isSame = found.elementsEqual(expected) {
                    $0.key == $1.key && $0.value == $1.value
                }
                #expect(isSame, "\(range), \(order)")
                #expect(range != .all || found.count >= count)
            }
        }
    }

    /// The entries that a scan lends in runs, with large values read afterwards.
    private func entries(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree, _ range: KeyRange,
        _ order: ScanOrder
    ) throws -> [Entry] {
        var found: [(key: [UInt8], value: [UInt8]?, byteCount: Int)] = []
        try reader.scanRuns(tree, range, order: order) { bytes, entries in
            for index in entries.indices {
                let value = entries[index].value.map { bytes.extracting($0).copied() }
                found.append(
                    (
                        bytes.extracting(entries[index].key).copied(), value,
                        entries[index].valueByteCount
                    ))
            }
            return .next
        }
        var whole: [Entry] = []
        for entry in found {
            var value = entry.value
            if value == nil { value = try reader.value(forKey: entry.key, in: tree) }
            #expect(value?.count == entry.byteCount)
            whole.append((entry.key, value ?? []))
        }
        return whole
    }

    @Test(arguments: StoreKind.allCases, [4096, 65536])
    func `gives what a scan gives`(kind: StoreKind, pageByteCount: Int) throws {
        let store = try open(3000, kind, pageByteCount: pageByteCount)
        try store.read { try expectSame($0, try $0.tree(named: "t"), atLeast: 3000) }
        try store.write { change in
            let tree = try change.tree(named: "t")
            for number in stride(from: 0, to: 6000, by: 7) {
                try change.put("new \(number)", forKey: Self.key(number), in: tree)
            }
            try change.deleteRange(.from(Self.key(1200), upTo: Self.key(1800)), in: tree)
            try change.put(Self.large(pageByteCount), forKey: Self.key(651), in: tree)
            try expectSame(change, tree, atLeast: 2700)
        }
        // First with the log's changes on top of the pages, then with everything in pages.
        try store.read { try expectSame($0, try $0.tree(named: "t"), atLeast: 2700) }
        try store.takeOverLog()
        try store.read { try expectSame($0, try $0.tree(named: "t"), atLeast: 2700) }
        try store.close()
    }

    private static func large(_ pageByteCount: Int) -> [UInt8] {
        (0..<3 * pageByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    }

    /// The transaction's own pages are not in the file yet.
    @Test(arguments: StoreKind.allCases, [4096, 65536])
    func `gives what a scan gives in a transaction that has outgrown the log`(
        kind: StoreKind, pageByteCount: Int
    ) throws {
        let store = try open(3000, kind, pageByteCount: pageByteCount) {
            $0.fixLog(halfByteCount: UInt64(8 * pageByteCount))
        }
        try store.write { change in
            let tree = try change.tree(named: "t")
            for number in 0..<12 {
                try change.put(
                    Self.large(pageByteCount), forKey: Self.key(2 * number + 1301), in: tree)
            }
            for number in stride(from: 0, to: 6000, by: 7) {
                try change.put("new \(number)", forKey: Self.key(number), in: tree)
            }
            try expectSame(change, tree, atLeast: 3000)
        }
        try store.read { try expectSame($0, try $0.tree(named: "t"), atLeast: 3000) }
        try store.close()
    }

    @Test(arguments: orders)
    func `has at most 128 entries in a run, and no run without entries`(order: ScanOrder) throws {
        let store = try open(10_000, pageByteCount: 65536)
        var counts: [Int] = []
        try store.read { snapshot in
            try snapshot.scanRuns(try snapshot.tree(named: "t"), order: order) { _, entries in
                counts.append(entries.count)
                return .next
            }
        }
        #expect(counts.reduce(0, +) == 10_000)
        #expect(counts.max() == 128 && counts.min() ?? 0 > 0)
        // Most runs are full: a leaf has more than 1000 entries.
        #expect(counts.count { $0 < 128 } <= 10)
        try store.close()
    }

    @Test(arguments: orders)
    func `calls no closure where there are no entries`(order: ScanOrder) throws {
        let store = try open(300)
        try store.write { change in
            _ = try change.createTree(named: "empty")
            let gone = try change.createTree(named: "gone")
            try change.put("v", forKey: "k", in: gone)
            try change.delete("k", in: gone)
        }
        try store.read { snapshot in
            var count = 0
            for name in ["empty", "gone"] {
                try snapshot.scanRuns(try snapshot.tree(named: name), order: order) { _, _ in
                    count += 1
                    return .next
                }
            }
            let tree = try snapshot.tree(named: "t")
            let range = KeyRange.from(Self.key(101), upTo: Self.key(102))
            try snapshot.scanRuns(tree, range, order: order) { _, _ in
                count += 1
                return .next
            }
            #expect(count == 0)
        }
        try store.close()
    }

    @Test(arguments: orders)
    func `ends when its closure says so`(order: ScanOrder) throws {
        let store = try open(3000)
        try store.write { change in
            try change.put("new", forKey: Self.key(3001), in: try change.tree(named: "t"))
        }
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            // Stop in leaves without a changed entry, and before, at and after a changed entry.
            let total = try runs(snapshot, tree, order).count
            for wanted in 1...total + 1 {
                var count = 0
                try snapshot.scanRuns(tree, order: order) { _, _ in
                    count += 1
                    return count < wanted ? .next : .stop
                }
                #expect(count == min(wanted, total))
            }
        }
        try store.close()
    }

    @Test func `lends the entries of a leaf between two changed ones together`() throws {
        let store = try open(20)
        try store.write { change in
            let tree = try change.tree(named: "t")
            try change.put("changed", forKey: Self.key(14), in: tree)
            try change.delete(Self.key(24), in: tree)
            try change.put("new", forKey: Self.key(31), in: tree)
            for order in Self.orders {
                let counts = try runs(change, tree, order)
                let expected = [7, 1, 4, 3, 1, 4]
                #expect(counts == (order == .ascending ? expected : expected.reversed()))
            }
        }
        try store.close()
    }

    private func runs(
        _ reader: borrowing some TreeReader & ~Copyable, _ tree: Tree, _ order: ScanOrder
    ) throws -> [Int] {
        var counts: [Int] = []
        try reader.scanRuns(tree, order: order) { _, entries in
            counts.append(entries.count)
            return .next
        }
        return counts
    }

    @Test(arguments: StoreKind.allCases)
    func `lets large values be read while a run is lent`(kind: StoreKind) throws {
        let store = try open(300, kind)
        try store.write { change in
            let tree = try change.tree(named: "t")
            for number in [11, 301] {
                try change.put(Self.large(4096), forKey: Self.key(number), in: tree)
            }
        }
        try store.takeOverLog()
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            var count = 0
            try snapshot.scanRuns(tree) { bytes, entries in
                for index in entries.indices where entries[index].value == nil {
                    let key = bytes.extracting(entries[index].key)
                    let isRight = try snapshot.withValue(forKey: key, in: tree) {
                        $0.equals(Self.large(4096))
                    }
                    #expect(isRight == true)
                    #expect(entries[index].valueByteCount == 3 * 4096)
                    count += 1
                }
                return .next
            }
            #expect(count == 2)
        }
        try store.close()
    }

    /// Wrong words for the second slot of a leaf with three entries: its cell's offset, or its
    /// key's length.
    private static let wrongWords: [(word: UInt16, offset: Int)] = [
        (.max, 28), (4063, 28), (.max, 30), (4000, 30),
    ]

    @Test(arguments: wrongWords, orders)
    func `is refused by a leaf whose cells do not lie in it`(
        wrong: (word: UInt16, offset: Int), order: ScanOrder
    ) throws {
        var forge = try StoreForge(scratch)
        var content = ForgedPage.leaf(["b", "c", "m"])
        content.store(wrong.word, at: wrong.offset)
        try forge.finish(try forge.tree(content))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            let error = refusal { try snapshot.scanRuns(tree, order: order) { _, _ in .next } }
            #expect(error?.code == .corrupted)
            #expect(error.says("a cell does not lie in it"), "\(error?.message ?? "")")
        }
        try store.close()
    }

    /// The word before the key, which gives the value's length or marks the value as large, is
    /// wrong.
    @Test(arguments: [UInt32(0x7FFF_FFFF), 4064, .max])
    func `is refused by a leaf whose value does not lie in it`(word: UInt32) throws {
        var forge = try StoreForge(scratch)
        // The first cell is the last in the page, so its value ends at the page's end.
        let leaf = ForgedPage.leaf([(Array("b".utf8), word, [0x76])])
        try forge.finish(try forge.tree(leaf, entryCount: 1))
        let store = try StoreKind.plain.open(scratch.path(StoreForge.name))
        try store.read { snapshot in
            let tree = try snapshot.tree(named: "t")
            let error = refusal { try snapshot.scanRuns(tree) { _, _ in .next } }
            #expect(error?.code == .corrupted)
        }
        try store.close()
    }
}
