import Bulla
import BullaTestSupport
import Glibc
import Testing

@Suite struct `What a store says of itself` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: StoreKind.allCases)
    func `names the process that writes, while it writes`(kind: StoreKind) throws {
        let stores = try (0..<2).map { _ in try kind.open(scratch.path("s")) }
        for store in stores { #expect(try store.info.writerProcess == nil) }
        try stores[0].write { change in
            _ = try change.openOrCreateTree(named: "t")
            for store in stores { #expect(try store.info.writerProcess == Int(getpid())) }
        }
        for store in stores {
            #expect(try store.info.writerProcess == nil)
            #expect(try !store.info.isPoisoned)
        }
    }

    /// A snapshot reads the trees of the newest checkpoint, and the log over them.
    @Test(arguments: StoreKind.allCases)
    func `tells how far the trees have come, and the trees of the oldest snapshot`(
        kind: StoreKind
    ) throws {
        let store = try kind.open(scratch.path("s"))
        try store.write { _ = try $0.createTree(named: "a") }
        let first = try store.info
        #expect(first.checkpointCommit < first.commit)
        let snapshot = try store.makeSnapshot()
        #expect(try store.info.oldestSnapshotCommit == first.checkpointCommit)
        while try store.checkpoint() {}
        let second = try store.info
        #expect(second.checkpointCommit == first.commit)
        #expect(second.oldestSnapshotCommit == first.checkpointCommit)
        _ = consume snapshot
        #expect(try store.info.oldestSnapshotCommit == nil)
    }
}
