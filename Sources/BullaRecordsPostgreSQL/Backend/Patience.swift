#if PostgreSQL
internal import BullaRecords

/// For how long a failing call is repeated.
struct Patience: Sendable {
    private let limit: Duration

    init(_ limit: Duration) { self.limit = limit }

    /// Runs a call, and repeats it after temporary failures.
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
