import Bulla
import BullaObjects
import BullaObjectsWorker
import BullaProcessSupport
import BullaTestSupport
import Foundation
import Testing

@Suite struct `A migration that is killed` {
    private static let objectCount = TestMode.pick(short: 3_000, long: 1_000_000)
    private static let killCount = TestMode.pick(short: 4, long: 10)
    /// Memory that a migration may use beyond the store's cache: memtables, and working memory.
    private static let memoryByteLimit = 256 << 20
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `leaves all objects as they were, or as they become`() throws {
        let path = scratch.path("scribes.bulla")
        try fill(path)
        let time = try migrate(path, killedAfter: nil, keepsOld: true)
        var newCount = 0
        for number in 0..<Self.killCount {
            // Each round is killed later than the one before; the last ones are killed near the end
            // of the migration, or after it.
            let delay = time * (Double(number) + Double.random(in: 0..<1)) * 1.2
            _ = try migrate(
                path, killedAfter: delay / Double(Self.killCount), keepsOld: false)
            if try isNew(path) {
                newCount += 1
                try restore(path)
            }
        }
        TestMode.tell(
            "\(Self.killCount) migrations of \(Self.objectCount) objects were killed, "
                + "\(newCount) of them after their end; one takes \(time)")
    }

    private func fill(_ path: String) throws {
        let store = try Store.open(at: path, key: StoreKind.gcm.key())
        let database = try ObjectDatabase(store, models: [OldScribe.self])
        for start in stride(from: 0, to: Self.objectCount, by: 10_000) {
            try database.write { transaction in
                for id in start..<min(start + 10_000, Self.objectCount) {
                    try transaction.insert(OldScribe(id))
                }
            }
        }
        try store.close()
        try FileManager.default.copyItem(atPath: path, toPath: path + ".old")
    }

    private func restore(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: path + ".old", toPath: path)
    }

    /// Runs a migration in a process of its own, and returns its duration.
    private func migrate(
        _ path: String, killedAfter delay: Duration?, keepsOld: Bool
    ) throws -> Duration {
        let worker = try WorkerProcess(
            program: "BullaObjectsWorker", ["migrate", "path=\(path)"], key: nil,
            errors: scratch.path("errors"))
        _ = try worker.values()
        let start = ContinuousClock.now
        if let delay {
            let (seconds, rest) = delay.components
            Thread.sleep(forTimeInterval: Double(seconds) + Double(rest) / 1e18)
            worker.child.signal(ChildProcess.kill)
        }
        let growth = try worker.values()["growth"]
        _ = try worker.child.wait(patience: TestMode.patience)
        let time = ContinuousClock.now - start
        if keepsOld {
            let limit = MigrateJob.cacheByteLimit + Self.memoryByteLimit
            #expect(Int(try #require(growth)) <= limit)
            TestMode.tell("the migration takes \((growth ?? 0) >> 20) MiB at most")
            #expect(try isNew(path))
            try restore(path)
        }
        return time
    }

    /// Whether the store is in its new form; it must be complete in either form.
    private func isNew(_ path: String) throws -> Bool {
        let store = try Store.open(at: path, key: StoreKind.gcm.key())
        defer { try? store.close() }
        #expect(try store.check().isSound)
        let isNew = try store.read { snapshot in
            try SchemaTree.read(snapshot).migrations == [NewScribe.names.name]
        }
        #expect(try (isNew ? newCount(store) : oldCount(store)) == Self.objectCount)
        return isNew
    }

    private func oldCount(_ store: Store) throws -> Int {
        let database = try ObjectDatabase(store, models: [OldScribe.self])
        var count = 0
        try database.makeSnapshot().forEach(OldScribe.all) { scribe in
            count += scribe.isWhole ? 1 : 0
            return .next
        }
        return count
    }

    private func newCount(_ store: Store) throws -> Int {
        let database = try ObjectDatabase(
            store, models: [NewScribe.self], migrations: [NewScribe.names])
        let snapshot = try database.makeSnapshot()
        var count = 0
        try snapshot.forEach(NewScribe.all) { scribe in
            count += scribe.isWhole ? 1 : 0
            return .next
        }
        #expect(try snapshot.count(of: NewScribe.where { $0.last == "17" }) == 1)
        return count
    }
}
