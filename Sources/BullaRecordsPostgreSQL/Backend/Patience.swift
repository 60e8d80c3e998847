#if PostgreSQL
internal import BullaRecords

/// How long a call that fails is repeated.
struct Patience: Sendable {
    private let limit: Duration

    init(_ limit: Duration) { self.limit = limit }

    /// Repeats a call after a temporary failure.
    func repeatedly<R>(
        _ attempt: String, isRepeatable: Bool, _ body: () throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        let deadline = ContinuousClock.now + limit
        var backoff = Backoff(.milliseconds(2), upTo: .milliseconds(500))
        while true {
            do throws(StatementFailure) { return try body() } catch {
                var mayRepeat = error.isPassing
                if case .unknownOutcome = error { mayRepeat = isRepeatable }
                guard mayRepeat, backoff.take(until: deadline) else { throw error.error(attempt) }
            }
        }
    }
}
#endif
