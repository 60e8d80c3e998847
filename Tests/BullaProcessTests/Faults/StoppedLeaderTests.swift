import Bulla
import BullaProcessSupport
import BullaTestSupport
import BullaWorker
import Foundation
import Synchronization
import Testing

/// Another process is stopped while it flushes, and keeps the flush lock while it is stopped.
@Suite struct `A leader that is stopped` {
    private static let timeout: Duration = .milliseconds(200)

    /// A store that waits for locks for only a short time, and a process stopped in its flush.
    private struct Scene {
        let files: TestStore
        let store: Store
        let leader: WorkerProcess

        init(_ kind: StoreKind = .gcm) throws {
            files = try TestStore(kind)
            store = try files.open { $0.lockTimeout = timeout }
            leader = try files.obedient("stop=lead:before:1")
            try store.write { try $0.openOrCreateTree(named: "t") }
            try leader.ask(.open)
            leader.tell(.write)
            leader.child.waitUntilStopped()
        }

        func put(_ key: String) throws {
            try store.write { try $0.put("value", forKey: key, in: try $0.tree(named: "t")) }
        }

        func has(_ key: String, _ visibility: SnapshotVisibility) throws -> Bool {
            try store.read(visibility: visibility) {
                try $0.contains(key, in: try $0.tree(named: "t"))
            }
        }

        /// Lets the leader continue; its own commit is then acknowledged.
        func goOn() throws {
            leader.child.signal(ChildProcess.goOn)
            #expect(try leader.answer() == 1)
        }

        /// Waits until a commit is durable, however long that takes.
        func awaitDurable(_ commit: UInt64) throws {
            while refusal({ try store.waitUntilDurable(commit) }) == .notYetDurable {}
            try store.waitUntilDurable(commit)
        }

        func close() throws {
            while refusal({ try store.close() }) == .notYetDurable {}
            try leader.ask(.close)
            _ = try leader.stop()
        }
    }

    /// The error that an attempt throws, with all its parts.
    private static func error(_ body: () throws -> Void) -> BullaError? {
        do { try body() } catch { return error as? BullaError }
        return nil
    }

    private func expectTold(_ error: BullaError?, _ scene: Scene) throws {
        #expect(error?.code == .notYetDurable)
        #expect(error?.commit == (try scene.store.info.commit))
        let holder = "process \(scene.leader.child.number) holds the flush lock"
        #expect(error?.message.contains(holder) == true, "\(error as Any)")
    }

    @Test(arguments: [StoreKind.gcm, .plain])
    func `34. leaves a commit of others published, and they are told its number and the holder's`(
        kind: StoreKind
    ) throws {
        let scene = try Scene(kind)
        let error = Self.error { try scene.put("mine") }
        try expectTold(error, scene)
        let commit = try #require(error?.commit)
        #expect(try scene.has("mine", .published))
        #expect(try !scene.has("mine", .durable))
        // A second wait for the commit gets the same error.
        try expectTold(Self.error { try scene.store.waitUntilDurable(commit) }, scene)

        try scene.goOn()
        try scene.awaitDurable(commit)
        #expect(try scene.has("mine", .durable))
        try scene.close()
        let store = try scene.files.open()
        try scene.files.expectSound(store)
        #expect(try store.info.commit >= commit)
    }

    @Test func `34. is reported to each thread that shares a commit`() throws {
        let scene = try Scene()
        let store = scene.store
        let errors = Mutex<[BullaError]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let error = Self.error {
                try store.groupWrite { change in
                    try change.put(
                        "value", forKey: "member \(index)", in: try change.tree(named: "t"))
                }
            }
            if let error { errors.withLock { $0.append(error) } }
        }
        let told = errors.withLock { $0 }
        #expect(told.count == 4)
        #expect(told.allSatisfy { $0.code == .notYetDurable && $0.commit != nil })
        for index in 0..<4 { #expect(try scene.has("member \(index)", .published)) }
        try scene.goOn()
        try scene.close()
    }

    @Test func `34. holds up the answer of an insert that found its key`() throws {
        let scene = try Scene()
        try expectTold(Self.error { try scene.put("key") }, scene)
        let error = Self.error {
            try scene.store.write { change in
                let isNew = try change.insert(
                    "other", forKey: "key", in: try change.tree(named: "t"))
                #expect(!isNew)
            }
        }
        try expectTold(error, scene)
        try scene.goOn()
        try scene.close()
    }

    @Test func `34. leaves a store open that cannot be closed in time`() throws {
        let scene = try Scene()
        try expectTold(Self.error { try scene.put("key") }, scene)
        try expectTold(Self.error { try scene.store.close() }, scene)
        #expect(try scene.has("key", .published))
        try scene.goOn()
        try scene.close()
        #expect(refusal { try scene.put("late") } == .closed)
    }

    @Test func `34. holds up nobody that opens the store beside it, and reads`() throws {
        let scene = try Scene()
        let beside = try scene.files.open { $0.lockTimeout = Self.timeout }
        #expect(try beside.read { try $0.treeNames() } == ["t"])
        let error = Self.error { try beside.write { _ = try $0.openOrCreateTree(named: "u") } }
        #expect(error?.code == .notYetDurable)
        let holder = "process \(scene.leader.child.number) holds the flush lock"
        #expect(error?.message.contains(holder) == true, "\(error as Any)")
        try scene.goOn()
        try beside.close()
        try scene.close()
    }

    @Test func `34. puts off the flush of a relaxed commit, which comes by itself later`() throws {
        let scene = try Scene()
        try scene.store.write(durability: .relaxed(within: .milliseconds(10))) {
            try $0.put("value", forKey: "key", in: try $0.tree(named: "t"))
        }
        let commit = try scene.store.info.commit
        // After this time, the first attempt to flush has usually been given up.
        usleep(600_000)
        try scene.goOn()
        let deadline = ContinuousClock.now + TestMode.patience
        while try scene.store.info.durableCommit < commit, ContinuousClock.now < deadline {
            usleep(1000)
        }
        #expect(try scene.store.info.durableCommit >= commit)
        try scene.close()
    }

    @Test func `34. that is killed where it stands is replaced`() throws {
        let scene = try Scene()
        let error = Self.error { try scene.put("key") }
        try expectTold(error, scene)
        _ = try scene.leader.kill()
        try scene.awaitDurable(try #require(error?.commit))
        #expect(try scene.has("key", .durable))
        try scene.store.close()
    }

    @Test func `34. is told to tasks too`() async throws {
        let scene = try Scene()
        var told: BullaError?
        do {
            try await scene.store.write {
                try $0.put("value", forKey: "key", in: try $0.tree(named: "t"))
            }
        } catch { told = error as? BullaError }
        try expectTold(told, scene)
        let commit = try #require(told?.commit)
        do { try await scene.store.waitUntilDurable(commit) } catch { told = error }
        try expectTold(told, scene)
        try scene.goOn()
        try scene.close()
    }

    @Test func `34. is named in the error, and so is a stopped writer`() throws {
        let files = try TestStore(.gcm)
        let store = try files.open { $0.lockTimeout = Self.timeout }
        try store.write { try $0.openOrCreateTree(named: "t") }
        let writer = try files.obedient()
        try writer.ask(.open)
        try writer.ask(.beginWrite)
        writer.child.signal(ChildProcess.stop)
        writer.child.waitUntilStopped()
        let error = Self.error { try store.write { _ = try $0.openOrCreateTree(named: "u") } }
        #expect(error?.code == .busy)
        let holder = "process \(writer.child.number) is writing"
        #expect(error?.message.contains(holder) == true, "\(error as Any)")
        writer.child.signal(ChildProcess.goOn)
        try writer.ask(.endWrite)
        try writer.ask(.close)
        _ = try writer.stop()
        try store.close()
    }

    @Test func `34. holds up no wait for a commit that does not exist`() throws {
        let files = try TestStore(.gcm)
        let store = try files.open()
        try store.write { try $0.openOrCreateTree(named: "t") }
        let newest = try store.info.commit
        #expect(refusal { try store.waitUntilDurable(newest + 1) } == .invalidArgument)
        try store.waitUntilDurable(newest)
        try store.close()
        #expect(refusal { try store.waitUntilDurable(newest) } == .closed)
    }
}
