import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A log that may grow` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind, _ name: String = "s", limit: UInt64 = 1 << 20
    ) throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.logHalfByteCount = 64 << 10
            $0.logHalfByteLimit = limit
            $0.checkpointsWhenIdle = false
        }
    }

    private func put(
        _ numbers: Range<Int>, in store: Store, _ durability: Durability = .full
    ) throws {
        try store.write(durability: durability) { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.putNumbered(numbers, in: tree)
        }
    }

    private func expectEntries(_ count: Int, in store: Store) throws {
        let model = try LogModel(store)
        #expect(model.trees[1]?.count == count)
        #expect(try store.check().isSound)
    }

    /// Copies the open store at a moment when no checkpoint is being named.
    ///
    /// A copy with some parts from before the naming and others from after it would be
    /// inconsistent.
    private func copy(_ name: String) throws {
        var (before, after): ([UInt8], [UInt8])
        repeat {
            before = Array(try scratch.bytes("s").prefix(PageFormat.preambleByteCount))
            try? scratch.remove(name)
            try scratch.copy("s", to: name)
            after = Array(try scratch.bytes("s").prefix(PageFormat.preambleByteCount))
        } while before != after
    }

    @Test(arguments: StoreKind.allCases)
    func `takes transactions of a size that it did not fit before`(kind: StoreKind) throws {
        let (first, second) = (try open(kind), try open(kind))
        var (count, sealed) = (0, [Int]())
        for round in 0..<24 {
            let store = round.isMultiple(of: 2) ? first : second
            let before = try first.statistics.sealedPageCount + second.statistics.sealedPageCount
            // About 60 KB in one transaction; at first, the log takes only 32 KB.
            try put(count..<count + 500, in: store)
            count += 500
            let after = try first.statistics.sealedPageCount + second.statistics.sealedPageCount
            sealed.append(after - before)
            if round.isMultiple(of: 5) { try copy("c-\(count)") }
        }
        // The first transactions seal pages; later, only checkpoints do.
        #expect(sealed[0] > 0)
        #expect(sealed.contains(0))
        for store in [first, second] { try expectEntries(count, in: store) }
        try second.close()
        try first.close()
        for copy in try scratch.names() where copy.hasPrefix("c-") {
            let store = try open(kind, copy)
            try expectEntries(Int(copy.dropFirst(2)) ?? 0, in: store)
            try put(count..<count + 500, in: store)
            try store.close()
        }
        let again = try open(kind)
        try expectEntries(count, in: again)
        try again.close()
        #expect(try Store.check(at: scratch.path("s"), key: kind.key()).isSound)
    }

    @Test(arguments: StoreKind.allCases)
    func `doubles where checkpoints come too late, and others follow to its new place`(
        kind: StoreKind
    ) throws {
        let (first, second) = (try open(kind), try open(kind))
        let before = try scratch.byteCount("s")
        var count = 0
        // Commits are small, and only a full log causes a checkpoint.
        while count < 6000 {
            let store = count % 700 < 350 ? first : second
            try put(count..<count + 10, in: store, .relaxed(within: .seconds(3600)))
            count += 10
            if count.isMultiple(of: 500) {
                #expect(
                    try second.read(visibility: .published) {
                        try $0.count(of: try $0.tree(named: "t"))
                    } == count)
                try copy("c")
                let copy = try open(kind, "c")
                let found = try LogModel(copy).trees[1]?.count ?? 0
                #expect(found <= count && found.isMultiple(of: 10))
                try copy.close()
                try scratch.remove("c")
            }
        }
        #expect(try scratch.byteCount("s") > before + (256 << 10))
        for store in [first, second] {
            try store.waitUntilDurable(try store.info.commit)
            try expectEntries(count, in: store)
        }
        try second.close()
        try first.close()
        let again = try open(kind)
        try expectEntries(count, in: again)
        try again.close()
    }

    /// Makes commits until the log goes on in its other half, and then has the trees take over the
    /// full half.
    private func fillHalf(of store: Store, _ number: () -> Int) throws {
        func sequence() throws -> UInt64? {
            try store.core.log.current?.shared.durablePosition().place.sequence
        }
        let start = try sequence()
        while try sequence() == start {
            let first = number()
            try put(first..<first + 1, in: store)
        }
        try store.takeOverLog()
    }

    @Test(arguments: StoreKind.allCases)
    func `doubles where checkpoints write much more than it says, and only there`(
        kind: StoreKind
    ) throws {
        let store = try open(kind, limit: 16 << 20)
        var count = 0
        func next() -> Int {
            count += 1
            return count - 1
        }
        let before = try store.info.log.byteCount
        for _ in 0..<6 { try fillHalf(of: store, next) }
        #expect(try store.info.log.byteCount == before)

        // Fill so many pages that each of the changes below affects a page of its own.
        try put(count..<20_000, in: store)
        try store.takeOverLog()
        count = 20_000
        let loaded = try store.info.log.byteCount
        var random = TestRandom(seed: 5)
        for _ in 0..<4 { try fillHalf(of: store) { random.below(count) } }
        #expect(try store.info.log.byteCount > loaded)
        try expectEntries(count, in: store)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `is long enough for a transaction like one that it did not fit`(kind: StoreKind) throws {
        let store = try open(kind, limit: 16 << 20)
        let before = try store.info.log.byteCount
        // A transaction of 180 KB, six times as much as the log takes.
        try put(0..<1500, in: store)
        #expect(try store.info.log.byteCount > before + (300 << 10))
        let sealed = try store.statistics.sealedPageCount
        try put(1500..<3000, in: store)
        #expect(try store.statistics.sealedPageCount == sealed)
        try expectEntries(3000, in: store)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `stays as long as it is where its limit is lowered, and grows where it is raised`(
        kind: StoreKind
    ) throws {
        let (first, second) = (try open(kind), try open(kind))
        var count = 0
        func fill() throws {
            for _ in 0..<12 {
                try put(count..<count + 500, in: count.isMultiple(of: 1000) ? first : second)
                count += 500
            }
        }
        try fill()
        try second.limitLog(toBytes: 128 << 10)
        let byteCount = try first.info.log.byteCount
        #expect(byteCount > 256 << 10)
        #expect(try first.info.log.byteLimit == 128 << 10)
        for _ in 0..<4 {
            try put(count..<count + 100, in: second)
            count += 100
            try copy("c-\(count)")
            // Put so much that the log goes on in its other half.
            try fill()
            try first.takeOverLog()
        }
        #expect(try second.info.log.byteCount == byteCount)
        for store in [first, second] { try expectEntries(count, in: store) }
        try first.limitLog(toBytes: 4 << 20)
        // Use more than a quarter of the log, so that it doubles.
        for _ in 0..<2 {
            try put(count..<count + 12_000, in: first)
            count += 12_000
        }
        #expect(try second.info.log.byteCount > byteCount)
        for store in [first, second] { try expectEntries(count, in: store) }
        try second.close()
        try first.close()
        #expect(try Store.check(at: scratch.path("s"), key: kind.key()).isSound)
        for copy in try scratch.names() where copy.hasPrefix("c-") {
            let store = try open(kind, copy)
            try expectEntries(Int(copy.dropFirst(2)) ?? 0, in: store)
            try store.close()
        }
    }

    @Test func `takes the run of free pages that is there before the file grows`() throws {
        let store = try open(.gcm)
        try store.limitLog(toBytes: 128 << 10)
        try store.write { change in
            try change.put(
                [UInt8](repeating: 1, count: 4 << 20), forKey: "large",
                in: try change.openOrCreateTree(named: "large"))
        }
        try store.write { try $0.dropTree(named: "large") }
        try store.limitLog(toBytes: 2 << 20)
        for number in 0..<4 {
            try put(number..<number + 1, in: store)
            try store.takeOverLog()
        }
        let (before, log) = (try store.info.pageCount, try store.info.log.byteCount)
        for round in 0..<6 { try put(round * 500..<round * 500 + 500, in: store) }
        #expect(try store.info.log.byteCount > log)
        #expect(try store.info.pageCount == before)
        #expect(try store.read { try $0.count(of: try $0.tree(named: "t")) } == 3000)
        #expect(try store.check().isSound)
        try store.close()
    }

    @Test func `has no limit that it cannot keep`() throws {
        for byteCount in [-1, 0, 100_000, 8 << 30, .max] {
            let error = refusal {
                _ = try StoreKind.gcm.open(scratch.path("s")) { $0.logByteLimit = byteCount }
            }
            #expect(error?.code == .invalidArgument)
            #expect(error.says("\(byteCount)"))
        }
        #expect(try scratch.names() == [])
        let store = try StoreKind.gcm.open(scratch.path("s")) { $0.logByteLimit = 128 << 10 }
        #expect(try store.info.log.byteCount == 128 << 10)
        for byteCount in [0, 8 << 30] {
            #expect(refusal { try store.limitLog(toBytes: byteCount) }?.code == .invalidArgument)
        }
        let reader = try StoreKind.gcm.open(scratch.path("s")) { $0.access = .readOnly }
        #expect(refusal { try reader.limitLog(toBytes: 1 << 20) }?.code == .readOnly)
        #expect(refusal { try reader.checkpoint() }?.code == .readOnly)
        try reader.close()
        try store.close()
    }

    @Test func `is told with what waits in it, and with the checkpoints that were made`() throws {
        let store = try open(.gcm)
        #expect(try store.statistics.secondsSinceCheckpoint == nil)
        let empty = try store.info.log
        #expect(empty.unmergedByteCount == 0)
        #expect(empty.byteLimit == 2 << 20)
        try put(0..<100, in: store)
        let filled = try store.info.log
        #expect(filled.unmergedByteCount > 1000)
        #expect(filled.memoryByteCount > empty.memoryByteCount)
        #expect(try store.checkpoint())
        #expect(try !store.checkpoint())
        #expect(try store.info.log.unmergedByteCount == 0)
        #expect(try store.statistics.checkpointCount == 1)
        #expect(try store.statistics.secondsSinceCheckpoint != nil)
        let error = refusal { try store.write { _ in _ = try store.checkpoint() } }
        #expect(error?.code == .busy)
        try store.close()
    }
}
