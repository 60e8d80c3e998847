import Bulla
import BullaMemory
import BullaTestSupport
import Testing

/// Random edits of a memtable, compared with a model.
struct MemtableRun {
    private var random: TestRandom
    private let table: Memtable
    private var newest = MemtableModel()
    /// The content of each version that may still be held.
    private var published: [(version: MemtableVersion, model: MemtableModel)] = []
    private var holders: [HeldModel] = []

    /// Two of them differ only in their high halves.
    private static let trees: [UInt64] = [1, 2, 7, 1 << 40 | 7, .max]

    init(seed: UInt64) throws {
        random = TestRandom(seed: seed)
        table = try Memtable(byteLimit: 256 << 20)
        published = [(.empty, newest)]
    }

    mutating func run(edits: Int) throws {
        for _ in 0..<edits {
            try edit()
            try holdSomething()
            if random.isOne(in: 4), let last = published.indices.last {
                settle(random.below(last + 1))
            }
            if random.isOne(in: 3), !holders.isEmpty {
                let holder = holders.remove(at: random.below(holders.count))
                _ = holder.check()
            }
        }
        for holder in holders { _ = holder.check() }
        try checkEnd()
    }

    /// Releases everything, and expects that only pages of the newest version stay.
    private mutating func checkEnd() throws {
        holders = []
        settle(published.count - 1)
        table.reclaim()
        let pageCount = try HeldModel(table, table.newest, newest).check()
        #expect(table.statistics.pageCount == pageCount)
    }

    private mutating func settle(_ index: Int) {
        table.settle(published[index].version)
        published.removeFirst(index)
    }

    private mutating func holdSomething() throws {
        guard random.isOne(in: 3) else { return }
        let (version, model) = random.isOne(in: 2) ? published[0] : random.pick(published)
        holders.append(try HeldModel(table, version, model))
    }

    private mutating func edit() throws {
        var model = newest
        var edit = try table.edit()
        var marks: [(mark: MemtableMark, view: MemtableView, model: MemtableModel)] = []
        let count = random.isOne(in: 4) ? random.below(500) : random.below(12)
        for _ in 0..<count {
            let tree = random.pick(Self.trees)
            let key = makeKey()
            let value = random.isOne(in: 4) ? nil : random.bytes(random.below(60))
            try edit.put(tree, key, value)
            model.put(tree, key, value)
            if random.isOne(in: 30) {
                let view = edit.view
                marks.append((try edit.mark(), view, model))
            }
            if random.isOne(in: 60), !marks.isEmpty {
                let index = random.below(marks.count)
                marks.removeSubrange((index + 1)...)
                edit.cut(to: marks[index].mark)
                model = marks[index].model
            }
        }
        // A view from before a mark still shows what it showed then.
        if let seen = marks.first, random.isOne(in: 4) { _ = seen.model.check(seen.view) }
        if random.isOne(in: 4) { _ = model.check(edit.view) }
        guard !random.isOne(in: 4) else { return }
        let former = table.newest
        let version = edit.publish()
        newest = model
        if version != former { published.append((version, model)) }
    }

    /// Makes one of so few keys that they repeat; some have long prefixes, some have none, some are
    /// empty, and some have the greatest length.
    private mutating func makeKey() -> [UInt8] {
        switch random.below(12) {
        case 0: return (0..<random.below(4)).map { _ in UInt8(random.below(3)) }
        case 1: return Array(repeating: 0xAB, count: 200) + [UInt8(random.below(256))]
        case 2...4:
            let number = random.below(3000)
            return Array("record:00000000".utf8) + [UInt8(number >> 8), UInt8(number & 0xFF)]
        case 5 where random.isOne(in: 20):
            let last = UInt8(random.below(4))
            return Array(repeating: 0xFF, count: MemtableOperation.keyByteLimit - 1) + [last]
        case 6: return Array(repeating: 0xFF, count: 3 + random.below(6))
        default: return random.bytes(8).map { $0 & 0x0F }
        }
    }
}
