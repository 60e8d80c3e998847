package import Dispatch

extension DispatchQueue {
    /// Runs blocking work on this queue, and resumes the task when the work is done.
    package func run<R: Sendable, E: Error>(
        _ body: @escaping @Sendable () throws(E) -> R
    ) async throws(E) -> R {
        let result: Result<R, E> = await withCheckedContinuation { continuation in
            async { continuation.resume(returning: Result { () throws(E) in try body() }) }
        }
        return try result.get()
    }
}
