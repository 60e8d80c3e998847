import Dispatch
import Foundation
import Synchronization

/// A thread of a test, which may block.
final class TestThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)
    private let isOver = Atomic(false)

    /// Whether it has ended; it can still be joined.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            do { try body() } catch { failure.withLock { $0 = error } }
            isOver.store(true, ordering: .releasing)
            ended.signal()
        }
    }

    /// Waits for the thread to end, and throws its error.
    func join() throws {
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
