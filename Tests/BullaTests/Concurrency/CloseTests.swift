import Bulla
import BullaTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// Close waits for work under way: lent bytes stay unchanged until the closure ends.
@Suite struct `Closing a store` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(
        _ kind: StoreKind, timeout: Duration = .milliseconds(20),
        storage: any StorageSystem = SystemStorage()
    ) throws -> Store {
        var options = StoreOptions()
        options.pageByteCount = 4096
        options.suite = kind.suite
        options.lockTimeout = timeout
        let store = try Store.open(
            at: scratch.path("s.bulla"), key: kind.key(), options: options, storage: storage)
        try store.write { change in
            let tree = try change.openOrCreateTree(named: "t")
            for number in 0..<5000 {
                try change.put("v \(number)", forKey: "key \(number)", in: tree)
            }
            let assets = try change.openOrCreateTree(named: "assets")
            try change.put([UInt8](repeating: 7, count: 1 << 20), forKey: "a", in: assets)
        }
        return store
    }

    private func expectOpen(_ store: Store) throws {
        #expect(try store.read { try $0.count(of: try $0.tree(named: "t")) } == 5000)
        try store.write { change in
            try change.put("later", forKey: "more", in: try change.openOrCreateTree(named: "other"))
        }
        #expect(throws: Never.self) { try store.close() }
        #expect(refusal { try store.read { _ in } }?.code == .closed)
    }

    private enum Read: CaseIterable {
        case read, scan, backwards, runs, value, stream, trees, cursor
    }

    /// Runs `once` a single time, inside a read.
    private func lend(_ read: Read, of store: Store, _ once: () throws -> Void) throws {
        var isLent = false
        func body() throws {
            if !isLent { try once() }
            isLent = true
        }
        if case .read = read { return try store.read { _ in try body() } }
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        switch read {
        case .read: break
        case .scan, .backwards:
            try snapshot.scan(tree, order: read == .scan ? .ascending : .descending) { _, _ in
                try body()
                return .stop
            }
        case .runs:
            try snapshot.scanRuns(tree) { _, _ in
                try body()
                return .stop
            }
        case .value: try snapshot.withValue(forKey: "key 7", in: tree) { _ in try body() }
        case .stream:
            _ = try snapshot.streamValue(forKey: "a", in: try snapshot.tree(named: "assets")) { _ in
                try body()
            }
        case .trees: try snapshot.forEachTree { _, _ in try body() }
        case .cursor:
            var cursor = try snapshot.makeCursor(in: tree)
            #expect(try cursor.moveToFirst())
            try cursor.withValue { _ in try body() }
        }
    }

    @Test(arguments: StoreKind.allCases, Read.allCases)
    private func `from inside a read of it is refused, and the store stays open`(
        kind: StoreKind, read: Read
    ) throws {
        // The timeout is longer than any test may take: closing must not wait for it.
        let store = try open(kind, timeout: .seconds(3600))
        var error: BullaError?
        try lend(read, of: store) { error = refusal { try store.close() } }
        #expect(error?.code == .busy && error.says("this thread"))
        try expectOpen(store)
    }

    @Test(arguments: StoreKind.allCases, Read.allCases)
    private func `while something is lent is busy after the timeout, and the store stays open`(
        kind: StoreKind, read: Read
    ) throws {
        let store = try open(kind)
        try whileHeld { hold in
            try lend(read, of: store, hold)
        } _: {
            let error = refusal { try store.close() }
            #expect(error?.code == .busy && error.says("under way"))
        }
        try expectOpen(store)
    }

    @Test(arguments: StoreKind.allCases)
    func `waits for a closure that is under way`(kind: StoreKind) throws {
        let store = try open(kind, timeout: .seconds(3600))
        let (hasBegun, hasClosed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hasRead = Atomic(false)
        try store.read { snapshot in
            Thread.detachNewThread {
                hasBegun.signal()
                #expect(throws: Never.self) { try store.close() }
                let isLater = hasRead.load(ordering: .acquiring)
                #expect(isLater)
                hasClosed.signal()
            }
            hasBegun.wait()
            for number in 0..<5000 {
                let value = try snapshot.value(
                    forKey: "key \(number)", in: try snapshot.tree(named: "t"))
                #expect(value == Array("v \(number)".utf8))
            }
            hasRead.store(true, ordering: .releasing)
        }
        hasClosed.wait()
        #expect(refusal { try store.read { _ in } }?.code == .closed)
    }

    @Test(arguments: StoreKind.allCases)
    func `while a transaction is open is busy after the timeout, and the store stays open`(
        kind: StoreKind
    ) throws {
        let store = try open(kind)
        var change = try store.beginWrite()
        let tree = try change.openOrCreateTree(named: "t")
        try change.put("v 1", forKey: "key 1", in: tree)
        #expect(refusal { try store.close() }?.code == .busy)
        try change.commit()
        try expectOpen(store)
    }

    @Test(arguments: StoreKind.allCases)
    func `ends snapshots and cursors that are held`(kind: StoreKind) throws {
        let store = try open(kind)
        let snapshot = try store.makeSnapshot()
        let tree = try snapshot.tree(named: "t")
        var cursor = try snapshot.makeCursor(in: tree)
        #expect(try cursor.moveToFirst())
        try store.close()
        #expect(refusal { _ = try snapshot.value(forKey: "key 1", in: tree) }?.code == .closed)
        #expect(
            refusal { _ = try snapshot.values(forKeys: [Array("key 1".utf8)], in: tree) }?.code
                == .closed)
        #expect(
            refusal { _ = try snapshot.presence(ofKeys: [Array("key 1".utf8)], in: tree) }?.code
                == .closed)
        #expect(refusal { _ = try snapshot.tree(named: "t") }?.code == .closed)
        #expect(refusal { _ = try snapshot.treeNames() }?.code == .closed)
        #expect(refusal { try snapshot.scan(tree) { _, _ in .next } }?.code == .closed)
        #expect(refusal { _ = try cursor.moveToNext() }?.code == .closed)
        #expect(refusal { try cursor.withKey { _ in } }?.code == .closed)
        #expect(refusal { _ = try store.info }?.code == .closed)
        #expect(refusal { _ = try store.statistics }?.code == .closed)
        #expect(refusal { _ = try store.anchor }?.code == .closed)
        #expect(refusal { _ = try store.check() }?.code == .closed)
        #expect(refusal { _ = try store.backup(to: scratch.path("b")) }?.code == .closed)
        #expect(refusal { _ = try store.beginWrite() }?.code == .closed)
    }

    @Test(arguments: StoreKind.allCases)
    func `ends the verbs of its keys`(kind: StoreKind) throws {
        let store = try open(kind)
        try store.close()
        let key = try StoreKey(StoreKind.keyBytes)
        #expect(refusal { _ = try store.keySlots() }?.code == .closed)
        #expect(refusal { try store.reencrypt(keys: [key]) }?.code == .closed)
        #expect(refusal { try store.resumeReencryption() }?.code == .closed)
    }

    /// A snapshot that is about to claim its slot keeps the store from releasing its slots;
    /// otherwise the snapshot would write into a slot that another process has since claimed.
    @Test(arguments: StoreKind.allCases)
    func `waits for a snapshot that is about to claim its slot`(kind: StoreKind) throws {
        let (isClaiming, mayClaim) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isArmed = Atomic(false)
        let storage = WatchedStorage { event in
            guard event == .call(.lock), isArmed.exchange(false, ordering: .relaxed) else { return }
            isClaiming.signal()
            mayClaim.wait()
        }
        let store = try open(kind, storage: storage)
        let hasRead = DispatchSemaphore(value: 0)
        isArmed.store(true, ordering: .relaxed)
        Thread.detachNewThread {
            do {
                let snapshot = try store.makeSnapshot()
                #expect(try snapshot.count(of: try snapshot.tree(named: "t")) == 5000)
            } catch { Issue.record(error) }
            hasRead.signal()
        }
        isClaiming.wait()
        #expect(refusal { try store.close() }?.code == .busy)
        mayClaim.signal()
        hasRead.wait()
        try expectOpen(store)
    }

    /// Another process claims the released slots at once, and late reads must not touch those.
    @Test(arguments: StoreKind.allCases)
    func `leaves the snapshots of others alone, however many reads begin meanwhile`(
        kind: StoreKind
    ) throws {
        let other = try open(kind)
        for _ in 0..<TestMode.pick(short: 20, long: 400) {
            let store = try kind.open(scratch.path("s.bulla"))
            let group = DispatchGroup()
            for _ in 0..<4 {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    while refusal({ try store.read { _ = try $0.tree(named: "t") } })?.code
                        != .closed
                    {}
                }
            }
            try store.close()
            let held = try (0..<8).map { _ in try Held(other) }
            #expect(try other.info.snapshotCount == held.count)
            group.wait()
            #expect(try other.info.snapshotCount == held.count)
            for one in held { #expect(try one.count() == 5000) }
        }
    }

    /// A snapshot in a class, so that an array can hold it.
    private final class Held {
        let snapshot: Snapshot
        init(_ store: Store) throws { snapshot = try store.makeSnapshot() }
        func count() throws -> Int { try snapshot.count(of: try snapshot.tree(named: "t")) }
    }

    @Test(arguments: StoreKind.allCases)
    func `by several threads at once closes once`(kind: StoreKind) throws {
        let store = try open(kind, timeout: .seconds(3600))
        let group = DispatchGroup()
        for _ in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                #expect(throws: Never.self) { try store.close() }
                group.leave()
            }
        }
        group.wait()
        #expect(refusal { try store.read { _ in } }?.code == .closed)
    }

    /// This holds even if a flush was promised only for later, because closing flushes.
    @Test(arguments: [Durability.full, .relaxed(within: .seconds(3600))])
    func `that a task forgets is done by another thread`(durability: Durability) async throws {
        let path = scratch.path("forgotten.bulla")
        func use() throws {
            let store = try StoreKind.gcm.open(path)
            try store.write(durability: durability) { try $0.openOrCreateTree(named: "t") }
        }
        func hasTree() throws -> Bool {
            let store = try StoreKind.gcm.open(path)
            defer { try? store.close() }
            return try store.read { try $0.treeIfPresent(named: "t") } != nil
        }
        /// Whether the last process to close the store has removed the coordination file.
        func isClosed() throws -> Bool {
            try StoreKind.gcm.open(path).close()
            return try !scratch.names().contains("forgotten.bulla.bulla-world")
        }
        try use()
        let deadline = ContinuousClock.now + TestMode.patience
        while try !isClosed(), ContinuousClock.now < deadline { await Task.yield() }
        #expect(try isClosed())
        #expect(try hasTree())
    }
}
