#if PostgreSQL
internal import BullaRecords

/// Why a statement, or the transaction around it, failed.
enum StatementFailure: Error {
    /// The server refused the statement, so the transaction ends, and changes nothing.
    case rejected(state: String, message: String)
    /// The connection was lost before the end of the transaction, which therefore changed nothing.
    case lost(String)
    /// The connection was lost while the transaction committed: either outcome is possible.
    case unknownOutcome(String)
    /// The answer does not have the form that the statement asks for.
    case malformed(String)
    /// The transaction's own code ended it with an error for the caller.
    case stopped(RecordError)

    /// Whether the same transaction can succeed a moment later.
    ///
    /// The states are those of PostgreSQL 15, appendix A: class 40, transaction rollback; 53,
    /// insufficient resources; 55P03, lock not available; 57, operator intervention; 08, connection
    /// exception; 25006, read-only transaction, which a former primary reports.
    var isPassing: Bool {
        switch self {
        case .lost, .unknownOutcome: true
        case .malformed, .stopped: false
        case .rejected(let state, _):
            ["40", "53", "57", "08"].contains(state.prefix(2)) || state == "55P03"
                || state == "25006"
        }
    }

    /// The error for the caller of the backend.
    func error(_ attempt: String) -> RecordError {
        if case .stopped(let error) = self { return error }
        var error =
            switch self {
            case _ where isPassing:
                RecordError(
                    .unavailable, "\(attempt): the database is busy, or cannot be reached",
                    retryAfter: 1)
            case .malformed: RecordError(.damaged, "\(attempt): what the database has is damaged")
            default: RecordError(.internalError, "\(attempt): the database failed")
            }
        error.detail = detail
        return error
    }

    private var detail: String {
        switch self {
        case .rejected(let state, let message): "\(state): \(message)"
        case .lost(let reason), .unknownOutcome(let reason), .malformed(let reason): reason
        case .stopped(let error): "\(error)"
        }
    }
}
#endif
