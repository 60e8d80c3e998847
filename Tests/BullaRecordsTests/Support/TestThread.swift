import Dispatch
import Foundation
import Synchronization

/// A thread of a test, which may block.
final class TestThread: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ body: @escaping @Sendable () throws -> Void) {
        Thread.detachNewThread { [self] in
            do { try body() } catch { failure.withLock { $0 = error } }
            ended.signal()
        }
    }

    /// Waits for the thread to end, and throws its error.
    func join() throws {
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
