import Bulla
import BullaTestSupport
import Foundation
import Testing

/// Snapshots and pages of a store with a log during checkpoints.
@Suite struct `Checkpoints of a store with a log` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func fill(_ store: Store, version: Int) throws {
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<2000 {
                try change.put("\(version)", forKey: "key \(number)", in: tree)
            }
        }
        try store.checkpoint()
    }

    @Test(arguments: StoreKind.encrypted, [nil, 4])
    func `end a snapshot that lags behind, where there is a limit`(
        kind: StoreKind, limit: Int?
    ) throws {
        let store = try kind.open(scratch.path("s")) { options in
            options.cacheByteLimit = 4096
            options.snapshotCommitLimit = limit
            options.fixLog(halfByteCount: 1 << 20)
        }
        try fill(store, version: 0)
        let snapshot = try store.makeSnapshot()
        for version in 1...40 { try fill(store, version: version) }
        if limit == nil {
            #expect(try snapshot.values() == [Array("0".utf8)])
            #expect(try store.info.oldestSnapshotCommit == snapshot.commit)
        } else {
            let error = refusal { _ = try snapshot.values() }
            #expect(error?.code == .snapshotExpired)
        }
        _ = consume snapshot
        #expect(try store.makeSnapshot().commit == store.info.commit)
        #expect(try store.read { try $0.values() } == [Array("40".utf8)])
        let halves = (2 << 20) / 4096
        #expect(try store.info.pageCount < 300 + halves)
        try store.close()
    }

    /// Nothing else asks for a checkpoint: commits go on, and the log has room for all of them.
    @Test func `are made when a walk passes thousands of tombstones`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s")) { $0.fixLog(halfByteCount: 4 << 20) }
        try store.write { change in
            try change.putNumbered(0..<6000, in: try change.openOrCreateTree(named: "t"))
        }
        try store.write { _ = try $0.deleteRange(.all, in: try $0.tree(named: "t")) }
        var commitCount = 0
        while try store.statistics.checkpointCount == 0, commitCount < 3000 {
            commitCount += 1
            try store.write { change in
                try change.put("v", forKey: "z", in: try change.tree(named: "t"))
            }
            try store.read { try $0.scan(try $0.tree(named: "t")) { _, _ in .next } }
            Thread.sleep(forTimeInterval: 0.005)
        }
        #expect(try store.statistics.checkpointCount > 0)
        try store.close()
    }

    @Test func `that wait too long for others to change the trees say so`() throws {
        let path = scratch.path("s")
        let store = try StoreKind.gcm.open(path) { $0.checkpointsWhenIdle = false }
        try store.write { _ = try $0.openOrCreateTree(named: "t") }
        let impatient = try StoreKind.gcm.open(path) { $0.lockTimeout = .zero }
        let other = try SystemStorage().open(path, .writing)
        #expect(try other.lock(LockByte.tree, .exclusive))
        let error = refusal { _ = try impatient.checkpoint() }
        #expect(error?.code == .busy)
        #expect(error.says("change the trees of \(path): another process is changing them"))
        other.close()
        try impatient.close()
        try store.close()
    }

    @Test func `are made when nobody writes, if much stands in it`() throws {
        let store = try StoreKind.gcm.open(scratch.path("s")) { $0.fixLog(halfByteCount: 4 << 20) }
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.putNumbered(0..<1500, in: tree, byteCount: 1000)
        }
        let deadline = ContinuousClock.now + TestMode.patience
        while try store.info.livePageCount < 300, ContinuousClock.now < deadline {
            Thread.sleep(forTimeInterval: 0.05)
        }
        #expect(try store.info.livePageCount >= 300)
        try store.close()
    }

    @Test(arguments: StoreKind.allCases)
    func `leave no free pages behind when the last one closes`(kind: StoreKind) throws {
        let store = try kind.open(scratch.path("s")) { $0.fixLog(halfByteCount: 64 << 10) }
        let other = try kind.open(scratch.path("s"))
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            try change.putNumbered(0..<20_000, in: tree, byteCount: 1000)
        }
        try store.write { change in
            _ = try change.deleteRange(.all, in: try change.tree(named: "t"))
            try change.put("kept", forKey: "key", in: try change.tree(named: "t"))
        }
        #expect(try scratch.byteCount("s") > 16 << 20)
        try other.write { change in
            try change.put("late", forKey: "late", in: try change.tree(named: "t"))
        }
        try store.close()
        try other.close()
        let again = try kind.open(scratch.path("s"))
        #expect(try again.check().isSound)
        try again.write { change in
            try change.put("more", forKey: "other", in: try change.tree(named: "t"))
        }
        // The remaining pages have moved away from the file's end, so closing can cut it.
        try again.close()
        #expect(try scratch.byteCount("s") < 6 << 20)
        let last = try kind.open(scratch.path("s"))
        #expect(try last.read { try $0.count(of: try $0.tree(named: "t")) } == 3)
        try last.close()
    }
}
