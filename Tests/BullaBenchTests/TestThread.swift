import Dispatch
import Foundation
import Synchronization

/// A thread that runs one closure and ends.
enum TestThread {
    /// Runs `body` on a thread of its own.
    ///
    /// A second thread waits for that thread, and then resumes the task. Resuming can start a
    /// thread of the pool, which inherits the placement of the resuming thread. The first thread
    /// must not resume the task, because `body` may have placed that thread.
    static func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let result: Result<T, any Error> = await withCheckedContinuation { waiting in
            Thread.detachNewThread { waiting.resume(returning: runAndWait(body)) }
        }
        return try result.get()
    }

    private static func runAndWait<T: Sendable>(
        _ body: @escaping @Sendable () throws -> T
    ) -> Result<T, any Error> {
        let done = DispatchSemaphore(value: 0)
        let result = Box(Result<T, any Error>.failure(CancellationError()))
        Thread.detachNewThread {
            result.value.withLock { $0 = Result { try body() } }
            done.signal()
        }
        done.wait()
        return result.value.withLock { $0 }
    }

    private final class Box<Value: Sendable>: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }
}
