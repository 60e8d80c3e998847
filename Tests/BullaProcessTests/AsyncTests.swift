import Bulla
import BullaTestSupport
import BullaWorker
import Foundation
import Synchronization
import Testing

@Suite struct `The async forms` {
    private static let tree = "tasks"
    private static let taskCount = 64

    /// How many tasks have begun to write.
    private final class Progress: Sendable {
        let begun = Atomic(0)
    }

    // Each step may wait for its turn behind thousands of other tests, so only hanging is an error.
    @Test(.timeLimit(.minutes(60)))
    func `let other tasks go on while sixty-four wait for the writer lock`() async throws {
        let files = try TestStore(.gcm)
        let store = try files.open()
        try await store.write { try $0.openOrCreateTree(named: Self.tree) }
        let lock = HeldWriterLock(store)
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Self.taskCount {
                group.addTask {
                    progress.begun.add(1, ordering: .relaxed)
                    try await Self.write(index, to: store)
                }
            }
            // All tasks wait for a lock that is held here. If they blocked threads of the pool,
            // they could not all begin.
            while progress.begun.load(ordering: .relaxed) < Self.taskCount { await Task.yield() }
            for _ in 0..<1000 { await Task.yield() }
            lock.release()
            try await group.waitForAll()
        }
        let sum = try await store.read { try $0.sum(of: Self.tree) }
        #expect(sum == UInt64(Self.taskCount * (Self.taskCount - 1) / 2))
    }

    private static func write(_ index: Int, to store: Store) async throws {
        try await store.write { change in
            try change.put(
                UInt64(index).bytes, forKey: "\(index)", in: try change.tree(named: Self.tree))
        }
    }

    /// The writer lock, held by a thread of its own until it is released.
    private final class HeldWriterLock: Sendable {
        private let isHeld = DispatchSemaphore(value: 0)
        private let isWanted = DispatchSemaphore(value: 0)

        init(_ store: Store) {
            let thread = Thread { [isHeld, isWanted] in
                do {
                    let transaction = try store.beginWrite()
                    isHeld.signal()
                    isWanted.wait()
                    _ = consume transaction
                } catch {
                    Issue.record(error)
                    isHeld.signal()
                }
            }
            thread.start()
            isHeld.wait()
        }

        func release() { isWanted.signal() }
    }
}
