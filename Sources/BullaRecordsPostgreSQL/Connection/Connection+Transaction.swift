#if PostgreSQL
extension Connection {
    /// Runs a transaction: commits what `body` did, or undoes it if `body` throws.
    ///
    /// - Parameter isSnapshot: whether all its statements see one state of the database, and change
    ///   nothing.
    func transaction<R>(
        isSnapshot: Bool = false, _ body: (Connection) throws(StatementFailure) -> R
    ) throws(StatementFailure) -> R {
        let kind = isSnapshot ? "REPEATABLE READ READ ONLY" : "READ COMMITTED"
        try run(script: "BEGIN ISOLATION LEVEL \(kind); \(limits)")
        let value: R
        do throws(StatementFailure) { value = try body(self) } catch {
            // If this fails as well, the connection is lost, and the server undoes the transaction.
            if isUsable { _ = try? run(script: "ROLLBACK") }
            throw error
        }
        try commit()
        return value
    }

    /// Limits after which the server ends a transaction whose client is gone, and releases its
    /// locks.
    private var limits: String {
        let milliseconds = 1_000 * secondLimit
        return "SET LOCAL statement_timeout = \(milliseconds); "
            + "SET LOCAL idle_in_transaction_session_timeout = \(milliseconds)"
    }

    private func commit() throws(StatementFailure) {
        let end: QueryResult
        do throws(StatementFailure) { end = try run(script: "COMMIT") } catch {
            switch error {
            // The states of class 40 say that the server undid everything. Only 40003 differs: it
            // says that the outcome is unknown.
            case .rejected(let state, _) where state.hasPrefix("40") && state != "40003":
                throw error
            case .rejected(let state, let message):
                throw .unknownOutcome("\(state): \(message)")
            case .lost(let reason), .malformed(let reason): throw .unknownOutcome(reason)
            case .unknownOutcome, .stopped: throw error
            }
        }
        guard end.command == "COMMIT" else {
            throw .rejected(state: "40000", message: "the transaction was undone")
        }
    }
}
#endif
