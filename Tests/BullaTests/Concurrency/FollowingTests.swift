import Bulla
import BullaTestSupport
import Foundation
import Synchronization
import Testing

@Suite struct `A follower of a store` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open() throws -> Store {
        try Store.open(at: scratch.path("s.bulla"), key: StoreKind.gcm.key())
    }

    @Test func `is told of commits after the one that it has seen, and of none before`() throws {
        let store = try open()
        let first = try commit(store)
        #expect(try store.waitForCommit(after: first - 1, timeout: .zero) == first)
        #expect(try store.waitForCommit(after: first, timeout: .zero) == nil)
        #expect(try store.waitForCommit(after: first, timeout: .milliseconds(1)) == nil)
        let second = try commit(store)
        #expect(try store.waitForCommit(after: first, timeout: .seconds(60)) == second)
        try store.close()
    }

    @Test func `wakes for each commit that it waits for, and ends at the last`() throws {
        let store = try open()
        let start = try commit(store)
        let goal = start + 50
        let seen = Mutex<[UInt64]>([])
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var last = start
            while last < goal,
                let next = try? store.waitForCommit(after: last, timeout: .seconds(60))
            {
                seen.withLock { $0.append(next) }
                last = next
            }
            ended.signal()
        }
        for _ in 0..<50 { _ = try commit(store) }
        ended.wait()
        let commits = seen.withLock { $0 }
        #expect(commits.last == goal)
        #expect(zip(commits, commits.dropFirst()).allSatisfy { $0 < $1 })
        try store.close()
    }

    @Test func `is told that the store was closed`() throws {
        let store = try open()
        let last = try commit(store)
        let code = Mutex<BullaError.Code?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do throws(BullaError) {
                _ = try store.waitForCommit(after: last, timeout: .seconds(600))
            } catch { code.withLock { $0 = error.code } }
            ended.signal()
        }
        try store.close()
        ended.wait()
        #expect(code.withLock { $0 } == .closed)
    }

    @Test func `of a task ends with the task`() async throws {
        let store = try open()
        let last = try commit(store)
        let task = Task { try await store.waitForCommit(after: last, timeout: .seconds(600)) }
        task.cancel()
        #expect(try await task.value == nil)
        try await store.close()
    }

    private func commit(_ store: Store) throws -> UInt64 {
        var transaction = try store.beginWrite()
        let tree = try transaction.openOrCreateTree(named: "t")
        try transaction.put("value", forKey: "key", in: tree)
        return try transaction.commit()
    }
}
