/// Runs the operations of an engine one after the other.
actor SyncQueue {
    /// The queue that runs the operation of the current task.
    @TaskLocal private static var current: ObjectIdentifier?

    private var last: Task<Void, Never>?
    private var cancellations: [UInt64: @Sendable () -> Void] = [:]
    private var next: UInt64 = 0

    private var isInside: Bool { Self.current == ObjectIdentifier(self) }

    /// Runs an operation after all earlier ones; cancelling the caller's task cancels it.
    ///
    /// - Throws: `invalidArguments` if an operation of this queue calls this: the operation would
    ///   wait for itself.
    func run(_ body: @escaping @Sendable () async throws(CKError) -> Void) async throws(CKError) {
        guard !isInside else {
            throw CKError(.invalidArguments, "sync a database: its delegate handles an event")
        }
        let (former, name) = (last, ObjectIdentifier(self))
        let task = Task {
            await former?.value
            return await Self.$current.withValue(name) { await Self.failure(of: body) }
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

    private static func failure(
        of body: @Sendable () async throws(CKError) -> Void
    ) async -> CKError? {
        do throws(CKError) {
            try await body()
            return nil
        } catch { return error }
    }

    /// Cancels all operations; also waits for their end, but not if one of them calls this.
    func cancel() async {
        for cancel in cancellations.values { cancel() }
        if !isInside { await last?.value }
    }
}
