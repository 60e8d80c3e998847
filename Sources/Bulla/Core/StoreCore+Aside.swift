internal import Dispatch

extension StoreCore {
    /// Runs a change that waits for locks and disks on a thread of its own, so that no thread of
    /// the task pool waits.
    ///
    /// It throws for a task that is itself writing, because the change would wait for that task
    /// without end.
    ///
    /// - Parameter attempt: what the change does with the file, for the error's text; `nil` for
    ///   writing.
    func changeAside<R: Sendable>(
        _ attempt: String? = nil, _ change: @escaping @Sendable () throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        try writerLock.checkTurn(attempt)
        return try await DispatchQueue(label: "bulla.change").run(change)
    }
}
