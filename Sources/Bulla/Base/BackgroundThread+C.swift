internal import CBullaShared
internal import Dispatch
internal import Synchronization

/// Runs each piece of background work on a thread of its own, so that it does not delay other work.
///
/// Unless the caller of ``begin(givesWay:_:)`` asks for a full share, the thread gets a smaller
/// share of busy processors than other threads (nice(2)).
enum BackgroundThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// The result of a thread's work.
    private final class Outcome<R: Sendable, E: Error>: Sendable {
        let result = Mutex<Result<R, E>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    /// Starts a thread for the work; returns `false`, with no effect, if the system cannot start
    /// one.
    ///
    /// - Parameter givesWay: whether the thread gets a smaller share of busy processors.
    static func begin(givesWay: Bool = true, _ body: @escaping @Sendable () -> Void) -> Bool {
        // SAFETY: the thread releases the reference; if no thread starts, this function does.
        let work = unsafe Unmanaged.passRetained(Work(body))
        let isRunning = unsafe bulla_thread_run(
            { context in unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() },
            work.toOpaque(), givesWay)
        if !isRunning { unsafe work.release() }
        return isRunning
    }

    /// Runs the work and waits for it; if no thread can be started, runs it on the caller's thread.
    static func run<R: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> R
    ) throws(E) -> R {
        let outcome = Outcome<R, E>()
        let isRunning = begin {
            let result = Result { () throws(E) in try body() }
            outcome.result.withLock { $0 = result }
            outcome.isThere.signal()
        }
        guard isRunning else { return try body() }
        outcome.isThere.wait()
        guard let result = outcome.result.withLock({ $0 }) else {
            preconditionFailure("a thread leaves a result behind")
        }
        return try result.get()
    }
}
