package import Dispatch
internal import Synchronization

extension DispatchQueue {
    /// Runs blocking work on this queue, and resumes the task when the work is done.
    package func run<R: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        try await outcome(body).get()
    }

    /// Runs blocking work on this queue, and resumes the task when the work is done or has stopped.
    ///
    /// From time to time, the work has to call ``Cancellation/check()``, which throws once the task
    /// is cancelled.
    package func runStoppable<R: Sendable, E: Error>(
        _ body: @escaping @Sendable (Cancellation) throws(E) -> R
    ) async throws(E) -> R {
        let cancellation = Cancellation()
        let result: Result<R, E> = await withTaskCancellationHandler {
            await outcome { () throws(E) in try body(cancellation) }
        } onCancel: {
            cancellation.request()
        }
        return try result.get()
    }

    private func outcome<R: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> R
    ) async -> Result<R, E> {
        await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result { () throws(E) in try body() }) }
        }
    }

    /// Runs long work on this queue, and stops it at its next report once the task is cancelled.
    ///
    /// - Parameters:
    ///   - progress: receives the reports on a thread of the queue, and can stop the work by
    ///     throwing.
    ///   - body: the work; it receives the closure to which it must report its progress.
    /// - Throws: what `body` throws; `cancelled`.
    func run<R: Sendable, Progress: Sendable>(
        reporting progress: (@Sendable (Progress) throws(BullaError) -> Void)?,
        _ body:
            @escaping @Sendable (
                @escaping @Sendable (Progress) throws(BullaError) -> Void
            ) throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        try await runStoppable { cancellation throws(BullaError) in
            try body { done throws(BullaError) in
                try cancellation.check()
                try progress?(done)
            }
        }
    }
}

/// Tells a piece of work whether the task that waits for it was cancelled.
package final class Cancellation: Sendable {
    private let isRequested = Atomic(false)

    fileprivate func request() { isRequested.store(true, ordering: .relaxed) }

    /// - Throws: `cancelled`.
    package func check() throws(BullaError) {
        guard isRequested.load(ordering: .relaxed) else { return }
        throw BullaError(.cancelled, "go on with long work: the task that waits was cancelled")
    }
}
