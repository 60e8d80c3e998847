internal import Dispatch

extension StoreCore {
    /// Runs a change that waits for locks and disks on a thread of its own, so that no thread of
    /// the task pool waits.
    ///
    /// It refuses a task that is itself writing, for which the change would wait without end.
    ///
    /// - Parameter attempt: what it would do with the file, for the refusal; `nil` for writing.
    func changeAside<R: Sendable>(
        _ attempt: String? = nil, _ change: @escaping @Sendable () throws(BullaError) -> R
    ) async throws(BullaError) -> R {
        try writerLock.checkTurn(attempt)
        return try await DispatchQueue(label: "bulla.change").run(change)
    }
}
