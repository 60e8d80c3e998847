import Bulla
import BullaTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite struct `A wait for changes` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func open() throws -> Store { try StoreKind.gcm.open(scratch.path("s")) }

    @Test func `ends with each commit, of whichever handle`() throws {
        let stores = try (0..<2).map { _ in try open() }
        let follower = try stores[0].changes()
        let told = Mutex<[Told]>([])
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while told.withLock({ $0.count }) < 50,
                let event = try? follower.next(waitingAtMost: TestMode.patience)
            {
                told.withLock { $0.append(Told(event)) }
            }
            ended.signal()
        }
        let commits = try (0..<50).map { try stores[$0 % 2].commit(["\($0)": "v"]) }
        ended.wait()
        #expect(told.withLock { $0.map(\.commit) } == commits)
        for store in stores { try store.close() }
    }

    @Test func `that may not last ends with nothing`() throws {
        let store = try open()
        let follower = try store.changes()
        #expect(try follower.next() == nil)
        #expect(try follower.next(waitingAtMost: .milliseconds(1)) == nil)
        try store.close()
    }

    @Test func `ends when the store is closed, and every later one at once`() throws {
        let store = try open()
        try store.commit()
        let follower = try store.changes()
        let code = Mutex<BullaError.Code?>(nil)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do throws(BullaError) {
                _ = try follower.next(waitingAtMost: TestMode.patience)
            } catch { code.withLock { $0 = error.code } }
            ended.signal()
        }
        try store.close()
        ended.wait()
        #expect(code.withLock { $0 } == .closed)
        #expect(refusal { _ = try follower.next() }?.code == .closed)
        #expect(refusal { _ = try store.changes() }?.code == .closed)
    }

    @Test func `in a task goes through all that is told, and ends when the task is cancelled`()
        async throws
    {
        let store = try open()
        let follower = try store.changes()
        let commits = try (0..<5).map { try store.commit(["\($0)": "v"]) }
        let seen = AsyncStream<UInt64>.makeStream()
        let task = Task {
            for try await event in follower { seen.continuation.yield(Told(event).commit) }
            seen.continuation.finish()
        }
        var told: [UInt64] = []
        var iterator = seen.stream.makeAsyncIterator()
        while told.count < 5, let commit = await iterator.next() { told.append(commit) }
        #expect(told == commits)
        task.cancel()
        try await task.value
        #expect(await iterator.next() == nil)
        // Another iteration can take what comes after that.
        let last = try store.commit(["last": "v"])
        let event = try await follower.next(waitingAtMost: TestMode.patience)
        #expect(event.map(Told.init) == .commit(last, ["1 last=v"]))
        try await store.close()
    }

    @Test func `in a task ends with an error when the store is closed`() async throws {
        let store = try open()
        let follower = try store.changes()
        let task = Task {
            do throws(BullaError) {
                for try await _ in follower {}
                return BullaError.Code?.none
            } catch { return error.code }
        }
        try await store.close()
        #expect(await task.value == .closed)
    }

    @Test func `keeps a store open that nobody else refers to`() throws {
        var store: Store? = try open()
        let follower = try store?.changes()
        store = nil
        let other = try open()
        let commit = try other.commit()
        #expect(try follower?.told().map(\.commit) == [commit])
        try other.close()
    }
}
