internal import Dispatch

extension StoreCore {
    /// Runs a change on a thread of its own, so that no thread of the task pool waits for locks and
    /// disks.
    ///
    /// It throws if the calling task is itself writing, because the change would wait for that task
    /// forever.
    ///
    /// - Parameter attempt: what the change does with the store, for the error's text; `nil` for
    ///   writing.
    func changeAside<R: Sendable>(
        _ attempt: String? = nil, _ change: @escaping @Sendable () throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        try writerLock.checkTurn(attempt)
        return try await DispatchQueue(label: "bulla.change").run(change)
    }

    /// Runs a change on a thread of its own, and passes the change's progress on; the change stops
    /// once the caller's task is cancelled.
    func changeAside<R: Sendable, Progress: Sendable>(
        reporting progress: @escaping @Sendable (Progress) throws(BullaError) -> Void,
        _ change:
            @escaping @Sendable (
                @escaping @Sendable (Progress) throws(BullaError) -> Void
            ) throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        try writerLock.checkTurn()
        return try await DispatchQueue(label: "bulla.change").run(reporting: progress, change)
    }
}
