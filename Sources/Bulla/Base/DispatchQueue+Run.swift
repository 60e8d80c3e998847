package import Dispatch
internal import Synchronization

extension DispatchQueue {
    /// Runs blocking work on this queue, and resumes the task when it is done.
    package func run<R: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        let result: Result<R, E> = await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result { () throws(E) in try body() }) }
        }
        return try result.get()
    }

    /// Runs long work on this queue, and stops it at its next report once the task is cancelled.
    ///
    /// - Parameters:
    ///   - progress: receives the reports on a thread of the queue, and stops the work by throwing.
    ///   - body: the work, which gets the closure that it has to report to.
    /// - Throws: what `body` throws; `cancelled`.
    func run<R: Sendable, Progress: Sendable>(
        reporting progress: (@Sendable (Progress) throws(BullaError) -> Void)?,
        _ body:
            @escaping @Sendable (
                @escaping @Sendable (Progress) throws(BullaError) -> Void
            ) throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        let cancellation = Cancellation()
        let report: @Sendable (Progress) throws(BullaError) -> Void = {
            done throws(BullaError) in
            try cancellation.check()
            try progress?(done)
        }
        let result: Result<R, BullaError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.async {
                    continuation.resume(
                        returning: Result { () throws(BullaError) in try body(report) })
                }
            }
        } onCancel: {
            cancellation.request()
        }
        return try result.get()
    }
}

/// Whether the task that waits for work was cancelled.
private final class Cancellation: Sendable {
    private let isRequested = Atomic(false)

    func request() { isRequested.store(true, ordering: .relaxed) }

    func check() throws(BullaError) {
        guard isRequested.load(ordering: .relaxed) else { return }
        throw BullaError(.cancelled, "go on with long work: the task that waits was cancelled")
    }
}
