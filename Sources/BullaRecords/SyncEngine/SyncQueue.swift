/// Runs the operations of an engine one after the other.
actor SyncQueue {
    private var last: Task<Void, Never>?
    private var cancellations: [UInt64: @Sendable () -> Void] = [:]
    private var next: UInt64 = 0

    /// Runs an operation after all earlier ones; cancelling the caller's task cancels it.
    func run(_ body: @escaping @Sendable () async throws(CKError) -> Void) async throws(CKError) {
        let former = last
        let task = Task { () -> CKError? in
            await former?.value
            do throws(CKError) {
                try await body()
                return nil
            } catch { return error }
        }
        last = Task { _ = await task.value }
        next += 1
        let number = next
        cancellations[number] = { task.cancel() }
        let failure = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        cancellations[number] = nil
        if let failure { throw failure }
    }

    /// Cancels all operations, and waits for their end.
    func cancel() async {
        for cancel in cancellations.values { cancel() }
        await last?.value
    }
}
