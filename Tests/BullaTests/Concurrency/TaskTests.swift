import Bulla
import BullaTestSupport
import Foundation
import Testing

/// The async verbs wait without blocking the threads that tasks share.
@Suite(.serialized) struct `Tasks` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open(_ kind: StoreKind) async throws -> Store {
        var options = StoreOptions()
        options.suite = kind.suite
        options.lockTimeout = TestMode.patience
        return try await Store.open(at: scratch.path("s.bulla"), key: kind.key(), options: options)
    }

    @Test(arguments: StoreKind.allCases)
    func `that write at once all commit`(kind: StoreKind) async throws {
        let store = try await open(kind)
        try await store.write { try $0.openOrCreateTree(named: "t") }
        let before = try store.info.commit
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await store.write { change in
                        let tree = try change.tree(named: "t")
                        let sum =
                            try change.value(forKey: "sum", in: tree)?.load(UInt64.self, at: 0) ?? 0
                        try change.put((sum + UInt64(number)).bytes, forKey: "sum", in: tree)
                    }
                }
            }
            try await group.waitForAll()
        }
        let sum = try await store.read { try $0.value(forKey: "sum", in: try $0.tree(named: "t")) }
        #expect(sum?.load(UInt64.self, at: 0) == 4950)
        #expect(try store.info.commit == before + 100)
    }

    @Test func `that wait for a writer leave other tasks their threads`() async throws {
        let store = try await open(.gcm)
        try await store.write { try $0.openOrCreateTree(named: "t") }
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // A writer that ends only after other tasks have made progress.
        let holder = Thread {
            try? store.write { _ in
                begun.signal()
                mayEnd.wait()
            }
        }
        holder.start()
        await wait(for: begun)
        // More waiting writers than the machine has threads to share.
        let writers = (0..<200).map { number in
            Task {
                try await store.write { change in
                    try change.put("v", forKey: "key \(number)", in: try change.tree(named: "t"))
                }
            }
        }
        for _ in 0..<50 {
            await Task.yield()
            #expect(try await store.read { try $0.count(of: try $0.tree(named: "t")) } == 0)
        }
        mayEnd.signal()
        for writer in writers { try await writer.value }
        #expect(try await store.read { try $0.count(of: try $0.tree(named: "t")) } == 200)
    }

    /// Waits on a thread of its own, so that the task's thread is free.
    private func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }

    @Test func `that throw abort, and let the next one in`() async throws {
        struct Abort: Error {}
        let store = try await open(.ctrHMAC)
        await #expect(throws: Abort.self) {
            try await store.write { change in
                try change.openOrCreateTree(named: "t")
                throw Abort()
            }
        }
        await #expect(throws: Abort.self) { try await store.read { _ in throw Abort() } }
        #expect(try await store.read { try $0.treeNames() }.isEmpty)
        try await store.write { try $0.openOrCreateTree(named: "t") }
    }

    @Test func `are told of an opening that fails`() async throws {
        let store = try await open(.gcm)
        try await store.close()
        do {
            _ = try await Store.open(at: scratch.path("s.bulla"))
            Issue.record("opened without its key")
        } catch { #expect(error.code == .encrypted) }
    }

    @Test func `that commit with less than full durability are told at once`() async throws {
        let store = try await open(.gcm)
        for number in 0..<50 {
            try await store.write(durability: .relaxed(within: .seconds(3600))) { change in
                try change.put(
                    "\(number)", forKey: "n", in: try change.openOrCreateTree(named: "t"))
            }
            let seen = try await store.read(visibility: .published) {
                try $0.value(forKey: "n", in: try $0.tree(named: "t"))
            }
            #expect(seen == Array("\(number)".utf8))
        }
        // Closing makes them durable.
        try await store.close()
        let again = try await open(.gcm)
        let seen = try await again.read { try $0.value(forKey: "n", in: try $0.tree(named: "t")) }
        #expect(seen == Array("49".utf8))
    }

    @Test func `commit, change keys, back up, copy and close without blocking others`() async throws
    {
        let store = try await open(.gcm)
        let before = try store.anchor
        var transaction = try store.beginWrite()
        try transaction.put("v", forKey: "k", in: try transaction.openOrCreateTree(named: "t"))
        let commit = try await transaction.commit()
        #expect(commit > before.commit)
        #expect(try store.anchor.commit == commit)
        // The commit has released the writer's lock as well.
        try await store.write { try $0.put("w", forKey: "l", in: try $0.tree(named: "t")) }

        let newKey = [UInt8](repeating: 9, count: 64)
        try await store.changeKey(to: try StoreKey(newKey))
        let whole = try await store.backup(to: scratch.path("b")) { _ in }
        #expect(whole.since == nil)
        let next = try await store.backup(to: scratch.path("c"), since: whole.anchor)
        #expect(next.since == whole.anchor)
        try await store.compact(to: scratch.path("d.bulla"), key: StoreKey(newKey))
        try await store.close()
        #expect(refusal { try store.write { _ in } }?.code == .closed)
        let again = try await Store.open(at: scratch.path("d.bulla"), key: StoreKey(newKey))
        #expect(try await again.read { try $0.count(of: try $0.tree(named: "t")) } == 2)
        try await again.close()
    }

    @Test func `that commit what fails are told, and the next one can write`() async throws {
        let store = try await open(.gcm)
        var transaction = try store.beginWrite()
        let tree = try transaction.openOrCreateTree(named: "t")
        let tooLong = [UInt8](repeating: 1, count: 1 << 16)
        let error = refusal { try transaction.put("v", forKey: tooLong, in: tree) }
        #expect(error?.code == .keyTooLarge)
        try scratch.remove("s.bulla")
        do {
            _ = try await transaction.commit()
            Issue.record("committed to a file that is gone")
        } catch { #expect(error.code == .replaced) }
        #expect(refusal { _ = try store.beginWrite() }?.code == nil)
    }
}
