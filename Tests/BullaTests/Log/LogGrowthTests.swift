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

    @Test(arguments: StoreKind.allCases)
    func `takes transactions of a size that it did not fit before`(kind: StoreKind) throws {
        let (first, second) = (try open(kind), try open(kind))
        var (count, sealed) = (0, [Int]())
        for round in 0..<24 {
            let store = round.isMultiple(of: 2) ? first : second
            let before = try first.statistics.sealedPageCount + second.statistics.sealedPageCount
            // Some 60 KB: the log takes 32 KB at first.
            try put(count..<count + 500, in: store)
            count += 500
            let after = try first.statistics.sealedPageCount + second.statistics.sealedPageCount
            sealed.append(after - before)
            if round.isMultiple(of: 5) { try scratch.copy("s", to: "c-\(count)") }
        }
        // Pages are sealed by the first ones, then by checkpoints alone.
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
        // Commits are small, and no checkpoint comes but where the log is full.
        while count < 6000 {
            let store = count % 700 < 350 ? first : second
            try put(count..<count + 10, in: store, .relaxed(within: .seconds(3600)))
            count += 10
            if count.isMultiple(of: 500) {
                #expect(
                    try second.read(visibility: .published) {
                        try $0.count(of: try $0.tree(named: "t"))
                    } == count)
                try scratch.copy("s", to: "c")
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
}
