import Bulla
import BullaTestSupport
import Testing

@Suite struct `A store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.allCases, TestMode.seeds(TestMode.pick(short: 2, long: 12)))
    func `holds what was committed, through checkpoints, crashes and ends`(
        kind: StoreKind, seed: UInt64
    ) throws {
        var run = try StoreLogRun(scratch, kind, seed: seed)
        try run.run(steps: TestMode.pick(short: 200, long: 2000))
    }

    @Test(arguments: StoreKind.allCases)
    func `begins with an empty one, whose halves are the log's alone`(kind: StoreKind) throws {
        let path = scratch.path("store")
        let store = try kind.open(path) { $0.fixLog(halfByteCount: 64 << 10) }
        #expect(store.core.log.current != nil)
        #expect(try !store.checkpoint())
        #expect(try store.check().isSound)
        try store.close()
        let again = try kind.open(path)
        #expect(again.core.log.current != nil)
        try again.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `shows its trees to every snapshot`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("store")) { $0.fixLog(halfByteCount: 64 << 10) }
        for visibility in [SnapshotVisibility.durable, .published] {
            let commit = try store.makeSnapshot(visibility: visibility).commit
            #expect(commit == 1)
        }
        try store.close()
    }
}
