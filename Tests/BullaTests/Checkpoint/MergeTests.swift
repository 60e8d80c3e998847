import Bulla
import BullaTestSupport
import Testing

@Suite struct `A merged tree` {
    @Test(arguments: TestMode.seeds(TestMode.pick(short: 4, long: 16)))
    func `holds what a sorted dictionary holds, in sound pages that all belong to it`(
        seed: UInt64
    ) throws {
        for (kind, pageByteCount) in [(StoreKind.gcm, 4096), (.plain, 4096), (.gcm, 16384)] {
            var run = try MergeRun(Scratch(), kind, pageByteCount: pageByteCount, seed: seed)
            try run.run(rounds: TestMode.pick(short: 10, long: 60))
        }
    }

    @Test func `that is made in order has full pages`() throws {
        let scratch = try Scratch()
        let store = try StoreKind.gcm.open(scratch.path("merged.bulla"))
        for part in 0..<3 {
            let changes: MergeRun.Changes = (0..<20_000).map { number in
                (
                    Array("\(1_000_000 + part * 20_000 + number)".utf8),
                    [UInt8](repeating: 7, count: 100)
                )
            }
            try MergeChanges(changes).merge(into: store)
        }
        let statistics = try store.read { try $0.statistics(of: try $0.tree(named: "t")) }
        #expect(statistics.entryCount == 60_000 && statistics.fill > 0.95)
        #expect(try store.check().isSound)
        try store.close()
    }

    @Test(arguments: StructureCase.all)
    func `gives errors or some tree where the one beneath is false`(
        structure: StructureCase
    ) throws {
        let scratch = try Scratch()
        var forge = try StoreForge(scratch)
        try structure.forge(&forge)
        let large = [UInt8](repeating: 1, count: 9000)
        let streams: [MergeRun.Changes] = [
            [(Array("bb".utf8), large)], [(Array("b".utf8), nil), (Array("c".utf8), [])],
            ["a", "b", "c", "k150", "m", "n", "zz"].map { (Array($0.utf8), nil) },
        ]
        for changes in streams {
            do {
                let store = try StoreKind.plain.open(scratch.path(StoreForge.name)) {
                    $0.lockTimeout = .seconds(1)
                }
                do { try MergeChanges(changes).merge(into: store) } catch is BullaError {}
                try store.close()
            } catch is BullaError {}
        }
    }
}
