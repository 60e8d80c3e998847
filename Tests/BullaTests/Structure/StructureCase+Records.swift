import Bulla
import BullaTestSupport

extension StructureCase {
    private static let nowhere = PagePointer(number: 0, birth: StoreForge.commit, check: 0)

    static let values: [StructureCase] = [
        value("no pages", byteCount: 0, height: 1, children: 0),
        value("fewer pages than bytes", byteCount: 1 << 20, height: 1, children: 3),
        value("2^63 bytes", byteCount: 1 << 63, height: 1, children: 3),
        value("all the bytes there are", byteCount: .max, height: 1, children: 3),
        value("4 GiB", byteCount: 1 << 32, height: 1, children: 3),
        value("height 0", byteCount: 9000, height: 0, children: 3),
        value("height 33", byteCount: 9000, height: 33, children: 3),
        value("height 2^63", byteCount: 9000, height: 1 << 63, children: 3),
        value("more pages than bytes", byteCount: 100, height: 1, children: 168),
        StructureCase("a large value whose index overflows") { forge in
            var index = ForgedPage.index([], level: 1)
            index.store(UInt16.max, at: 2)
            let root = try forge.add(index)
            try finish(&forge, ForgedPage.descriptor(root, byteCount: 9000, height: 1))
        },
        StructureCase("a large value that is its tree's leaf") { forge in
            let root = try forge.add(ForgedPage.leaf(["b"]))
            try finish(&forge, ForgedPage.descriptor(root, byteCount: 9000, height: 1))
        },
        StructureCase("a large value without a root") { forge in
            try finish(&forge, ForgedPage.descriptor(nowhere, byteCount: 9000, height: 1))
        },
        single("no page", number: 0), single("a page past the file", number: 1 << 40),
        single("a page marked as changed", number: 1 << 63 | 3),
        StructureCase("a large value of one page and no bytes") { forge in
            let root = try forge.add([UInt8](repeating: 9, count: ForgedPage.byteCount), kind: 4)
            try finish(&forge, ForgedPage.descriptor(root, byteCount: 0, height: 0))
        },
        StructureCase("a large value marked as changed") { forge in
            let root = PagePointer(number: 1 << 63 | 3, birth: StoreForge.commit, check: 0)
            try finish(&forge, ForgedPage.descriptor(root, byteCount: 9000, height: 1))
        },
        StructureCase("a large value of shared pages") { forge in
            var pointer = try forge.add([UInt8](repeating: 9, count: ForgedPage.byteCount), kind: 4)
            for level in 1..<8 {
                let children = [PagePointer](repeating: pointer, count: 168)
                pointer = try forge.add(ForgedPage.index(children, level: UInt8(level)))
            }
            try finish(&forge, ForgedPage.descriptor(pointer, byteCount: 1 << 50, height: 7))
        },
    ]

    /// A value that points at its only page, without an index page in between.
    private static func single(_ name: String, number: UInt64) -> StructureCase {
        StructureCase("a large value that points at \(name)") { forge in
            let root = PagePointer(number: number, birth: StoreForge.commit, check: 0)
            try finish(&forge, ForgedPage.descriptor(root, byteCount: 100, height: 0))
        }
    }

    private static func value(
        _ name: String, byteCount: UInt64, height: UInt64, children: Int
    ) -> StructureCase {
        StructureCase("a large value of \(name)") { forge in
            let page = try forge.add([UInt8](repeating: 9, count: ForgedPage.byteCount), kind: 4)
            let children = [PagePointer](repeating: page, count: children)
            let root = try forge.add(ForgedPage.index(children, level: 1))
            try finish(
                &forge, ForgedPage.descriptor(root, byteCount: byteCount, height: height))
        }
    }

    private static func finish(_ forge: inout StoreForge, _ descriptor: [UInt8]) throws {
        let leaf = ForgedPage.leaf([
            ([0x62], ForgedPage.largeMark, descriptor), ([0x63], 1, [1]), ([0x6D], 1, [2]),
        ])
        try forge.finish(forge.root(try forge.add(leaf), height: 1, largeCount: 1))
    }

    static let records: [StructureCase] = [
        tree("height 0 with a root", height: 0), tree("height 2", height: 2),
        tree("height 33", height: 33), tree("height 2^63", height: 1 << 63),
        tree("all counts at their end", height: 1, count: .max),
        StructureCase("a tree of no root and height 2^63") { forge in
            try forge.finish(forge.root(nowhere, height: 1), height: 1 << 63)
        },
        record("a tree's record cut short", [1, 0x74], [UInt8](repeating: 1, count: 20)),
        record("a tree's record of nothing", [1, 0x74], []),
        record("a tree without a name", [1], [UInt8](repeating: 1, count: 48)),
        record("a record of no kind", [9, 9], [1, 2, 3]),
        record("pending frees cut short", [2, 0], [1]),
        pending("the header", start: 0, count: 16),
        pending("2^63 pages", start: 20, count: 1 << 63),
        pending("pages past the file", start: 1 << 40, count: 10),
        pending("pages that overflow", start: .max, count: .max),
        pending("pages that are in use", start: 16, count: 2),
        pending("no pages", start: 20, count: 0),
        record(
            "pending frees in thousands", [2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0],
            [UInt8](repeating: 1, count: 1200)),
        StructureCase("pending frees out of place") { forge in
            let tree = try forge.tree(ForgedPage.leaf(["b", "c", "m"]))
            let record = ForgedPage.record(tree)
            let items = UInt64(16).bytes + UInt64(1).bytes + UInt64(1).bytes
            let first = try forge.add(ForgedPage.leaf([([1, 0x74], UInt32(record.count), record)]))
            // A scan finds the pending frees; a lookup of their key is led elsewhere by the
            // branch's key.
            let second = try forge.add(
                ForgedPage.leaf([([2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0], 24, items)]))
            let root = try forge.add(ForgedPage.branch([("", first), ("\u{3}", second)], level: 1))
            try forge.finish(root: forge.root(root, height: 2)) { record in
                (record.freeCount, record.pendingCount) = (0, record.pageCount)
            }
        },
        held("the header", start: 0, count: 16), held("2^63 pages", start: 20, count: 1 << 63),
        held("pages that are in use", start: 16, count: 2),
        held("no snapshot", key: [], start: 20, count: 1),
        held("part of a snapshot", key: [0xFF], start: 20, count: 1),
        held("a snapshot alone", key: [0, 0, 0, 0, 0, 0, 0, 1], start: 20, count: 1),
        held("the last snapshot", key: [UInt8](repeating: 0xFF, count: 20), start: 20, count: 1),
        free("the header", chunk: 0, bits: 0..<16),
        free("past the file", chunk: 0, bits: 4000..<4096),
        free("another world", chunk: 1 << 50, bits: 0..<8),
        free("the end", chunk: .max, bits: 0..<8),
        free("pages in use", chunk: 0, bits: 16..<19),
        record("a free map cut short", [3, 0, 0, 0, 0, 0, 0, 0, 0], [0xFF]),
        record("a free map's short key", [3, 0], [UInt8](repeating: 0xFF, count: 512)),
    ]

    private static func tree(
        _ name: String, height: UInt64, count: UInt64 = 3
    ) -> StructureCase {
        StructureCase("a tree of \(name)") { forge in
            var root = try forge.tree(ForgedPage.leaf(["b", "c", "m"]), entryCount: count)
            root.largeCount = count
            try forge.finish(root, height: height)
        }
    }

    /// A catalog with a sound tree and this record.
    private static func record(
        _ name: String, _ key: [UInt8], _ value: [UInt8], count: UInt64 = 100
    ) -> StructureCase {
        StructureCase(name) { forge in
            let root = try forge.tree(ForgedPage.leaf(["b", "c", "m"]))
            var records = [(key: [1, 0x74] as [UInt8], value: ForgedPage.record(root))]
            records.removeAll { $0.key == key }
            records.append((key, value))
            records.sort { order($0.key, $1.key) < 0 }
            try forge.finish(catalog: records) { record in
                record.freeCount = min(count, record.pageCount)
                record.pendingCount = min(count, record.pageCount)
            }
        }
    }

    private static func pending(_ name: String, start: UInt64, count: UInt64) -> StructureCase {
        let commit: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2]
        return record(
            "pending frees of \(name)", [2] + commit + [0, 0, 0, 0],
            start.bytes + count.bytes + UInt64(1).bytes)
    }

    private static func held(
        _ name: String,
        key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0],
        start: UInt64, count: UInt64
    ) -> StructureCase {
        record(
            "frees held back of \(name)", [4] + key, start.bytes + count.bytes + UInt64(1).bytes)
    }

    private static func free(_ name: String, chunk: UInt64, bits: Range<Int>) -> StructureCase {
        var map = [UInt8](repeating: 0, count: 512)
        for bit in bits { map[bit / 8] |= 1 << UInt8(bit % 8) }
        return record("a free map of \(name)", [3] + chunk.bytes.reversed(), map)
    }

    static let metas: [StructureCase] = [
        meta("pages past the file") { $0.pageCount = 1 << 31 },
        meta("pages past any file") { $0.pageCount = .max },
        meta("no pages") { $0.pageCount = 0 },
        meta("a run past the file") { ($0.window.run.start, $0.window.run.count) = (1 << 40, 10) },
        meta("a run that overflows") { ($0.window.run.start, $0.window.run.count) = (.max, 2) },
        meta("a run in the header") { ($0.window.run.start, $0.window.run.count) = (1, 5) },
        meta("a run of pages in use") { ($0.window.run.start, $0.window.run.count) = (16, 2) },
        meta("a run and pages in use") { record in
            record.window = PageWindow(run: PageRun(start: 16, count: 1), others: 0b110)
        },
        meta("a run and pages past the file") { record in
            record.window = PageWindow(run: PageRun(start: 16, count: 1), others: 1 << 63)
        },
        meta("a run, and its pages again") { record in
            record.window = PageWindow(run: PageRun(start: 16, count: 2), others: 0b111)
        },
        meta("pages without a run") { record in
            record.window = PageWindow(run: PageRun(start: 16, count: 0), others: .max)
        },
        meta("a search past the end") { $0.searchPosition = .max },
        meta("more free pages than there are") { $0.freeCount = .max },
        meta("more pending pages than there are") { $0.pendingCount = .max },
        meta("all pages free and pending") { record in
            (record.freeCount, record.pendingCount) = (record.pageCount, record.pageCount)
        },
        meta("trees without end") { $0.treeCount = .max },
        meta("no trees") { $0.treeCount = 0 },
        meta("no tree's number left") { $0.nextTree = .max },
        meta("no tree's number given") { $0.nextTree = 1 },
        meta("key epoch 0") { $0.keyEpoch = 0 },
        meta("the last key epoch") { $0.keyEpoch = UInt64(UInt32.max) - 1 },
        meta("seals without end") { $0.sealedCount = .max },
        meta("a reservation without end") { $0.reservedCount = .max },
        meta("seals up to the budget") { $0.sealedCount = 1 << 28 },
        meta("the last commit") { ($0.commit, $0.lastDurable) = (.max, .max) },
        meta("durable after itself") { $0.lastDurable = $0.commit + 5 },
        meta("not durable") { $0.lastDurable = 0 },
        meta("flushes without end") { $0.flush = .max },
        meta("an older commit than its pages") { ($0.commit, $0.lastDurable) = (2, 2) },
        StructureCase("a catalog of height 40") { forge in
            let leaf = try forge.add(ForgedPage.leaf(["b"]))
            try forge.finish(root: forge.root(leaf, height: 40)) { _ in }
        },
        StructureCase("a catalog without a root") { forge in
            try forge.finish(root: forge.root(nowhere, height: 1)) { _ in }
        },
        StructureCase("a catalog marked as changed") { forge in
            let root = PagePointer(number: 1 << 63 | 1, birth: StoreForge.commit, check: 0)
            try forge.finish(root: forge.root(root, height: 1)) { _ in }
        },
        StructureCase("a catalog with the trees' large values") { forge in
            let wrong = ForgedPage.descriptor(nowhere, byteCount: .max, height: 1)
            let leaf = ForgedPage.leaf([([1, 0x74], ForgedPage.largeMark, wrong)])
            try forge.finish(root: forge.root(try forge.add(leaf), height: 1)) { _ in }
        },
    ]

    private static func meta(
        _ name: String, _ adjust: @escaping @Sendable (inout CommitRecord) -> Void
    ) -> StructureCase {
        StructureCase("a meta of \(name)") { forge in
            let root = try forge.tree(ForgedPage.leaf(["b", "c", "m"]))
            try forge.finish(root, adjust: adjust)
        }
    }
}
