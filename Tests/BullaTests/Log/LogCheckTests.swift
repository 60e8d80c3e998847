import Bulla
import BullaTestSupport
import Foundation
import Testing

/// Checks and salvage of a store with a log.
@Suite struct `A check of a store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind, _ name: String = "s") throws -> Store {
        try kind.open(scratch.path(name), pageByteCount: 4096) {
            $0.fixLog(halfByteCount: 64 << 10)
        }
    }

    /// Makes a store with two trees that are partly in pages and one that is only in the log, in
    /// several commits.
    private func make(_ kind: StoreKind, _ name: String = "s") throws -> Store {
        let store = try open(kind, name)
        for tree in ["a", "b", "gone"] {
            try store.write { change in
                let tree = try change.createTree(named: tree)
                try change.putNumbered(0..<20, in: tree)
            }
        }
        try store.checkpoint()
        try scratch.copy(name, to: "checkpoint")
        try store.write { _ = try $0.dropTree(named: "gone") }
        try store.write { try $0.renameTree(named: "b", to: "gone") }
        try store.write { change in
            let tree = try change.createTree(named: "b")
            try change.putNumbered(0..<5, in: tree)
            try change.deleteRange(
                .from(NumberedEntry.key(0), upTo: NumberedEntry.key(10)),
                in: try change.tree(named: "a"))
        }
        for number in 20..<30 {
            try store.write { change in
                let tree = try change.tree(named: "gone")
                try change.putNumbered(number..<number + 1, in: tree)
            }
        }
        return store
    }

    @Test(arguments: StoreKind.allCases)
    func `counts what is said over the pages, and reads the log anew`(kind: StoreKind) throws {
        let store = try make(kind)
        for report in [
            try store.check(), try Store.check(at: scratch.path("s"), key: kind.key()),
        ] {
            #expect(report.isSound)
            #expect(report.treeCount == 3)
            #expect(report.entryCount == 10 + 5 + 30)
            #expect(report.commit == (try store.info.durableCommit))
        }
        #expect(try store.info.treeCount == 3)
        try store.read { snapshot in
            let counts = try snapshot.statistics(of: try snapshot.tree(named: "a"))
            #expect(counts.entryCount == 10)
        }
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `that a crash has left writes nothing, and salvage takes all of it`(
        kind: StoreKind
    ) throws {
        let store = try make(kind)
        let content = try LogModel(store)
        try scratch.copy("s", to: "c")
        let commit = try store.info.durableCommit
        try store.close()
        let bytes = try scratch.bytes("c")
        let report = try Store.check(at: scratch.path("c"), key: kind.key())
        #expect(report.isSound)
        #expect(report.commit == commit)
        #expect(report.entryCount == 45)
        let salvaged = try Store.salvage(
            from: scratch.path("c"), to: scratch.path("t"), key: kind.key())
        #expect(salvaged.entryCount == 45)
        #expect(try scratch.bytes("c") == bytes)
        let copy = try kind.open(scratch.path("t"))
        #expect(try LogModel(copy) == content)
        try copy.close()
    }

    /// Waits until the idle store has marked all of the log as durable, because before that, a cut
    /// cannot be told from frames that were never written.
    private func awaitMark(in store: Store) throws {
        let commit = try store.info.durableCommit
        let deadline = ContinuousClock.now + TestMode.patience
        while ContinuousClock.now < deadline {
            let bytes = try scratch.bytes("s")
            let marked = [28672, 61440].map { mark in
                bytes.load(UInt64.self, at: mark + LogMarkField.commit.offset)
            }
            if marked.contains(commit) { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        Issue.record("nobody has marked how far the log is durable")
    }

    @Test(arguments: StoreKind.allCases)
    func `tells of a damaged log, of which salvage takes what holds`(kind: StoreKind) throws {
        let store = try make(kind)
        try awaitMark(in: store)
        try scratch.copy("s", to: "c")
        try store.close()
        // Damage the middle of what came after the checkpoint, so that earlier commits hold.
        let (former, bytes) = (try scratch.bytes("checkpoint"), try scratch.bytes("c"))
        let place = try #require((65536..<65536 + (64 << 10)).last { bytes[$0] != former[$0] })
        try scratch.overwrite("c", with: [UInt8](repeating: 1, count: 64), at: place - 500)
        let report = try Store.check(at: scratch.path("c"), key: kind.key())
        #expect(!report.isSound)
        #expect(report.defects.allSatisfy { $0.kind == .log })
        #expect(refusal { _ = try kind.open(scratch.path("c")) }?.code == .corrupted)
        let salvaged = try Store.salvage(
            from: scratch.path("c"), to: scratch.path("t"), key: kind.key())
        #expect(!salvaged.check.isSound)
        let copy = try kind.open(scratch.path("t"))
        #expect(try copy.check().isSound)
        #expect(try !LogModel(copy).trees.isEmpty)
        try copy.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `tells of a mark that is not what was written`(kind: StoreKind) throws {
        try make(kind).close()
        try scratch.overwrite("s", with: [1], at: 28672 + 50)
        let report = try Store.check(at: scratch.path("s"), key: kind.key())
        #expect(report.defects.map(\.kind) == [.log])
        let store = try open(kind)
        #expect(try store.check().isSound)
        try store.close()
    }
}
