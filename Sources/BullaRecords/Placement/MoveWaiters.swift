internal import Synchronization

/// The callers that wait for databases that move.
final class MoveWaiters: Sendable {
    private let limit: Int
    private let count = Atomic(0)

    init(limit: Int) { self.limit = limit }

    /// Runs `wait`.
    ///
    /// - Throws: what `wait` throws; `unavailable`, without running it, if too many others wait.
    func pass<R>(_ wait: () throws(RecordError) -> R) throws(RecordError) -> R {
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            throw .moved("use a database: it moves to another site")
        }
        return try wait()
    }
}
