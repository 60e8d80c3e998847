#if PostgreSQL
internal import BullaRecords

extension Connection {
    /// Refuses a server that can lose acknowledged commits in a crash.
    func examine() throws(StatementFailure) {
        let settings = try run(StoreStatements.safety)
        for (column, name) in ["fsync", "synchronous_commit"].enumerated() {
            guard settings.rowCount == 1 else { throw .malformed("there are no settings") }
            guard !settings.isNull(0, column), try settings.text(0, column) == "off" else {
                continue
            }
            throw .stopped(
                RecordError(
                    .internalError,
                    "connect to a database: its \(name) is off, so it can lose "
                        + "what it has acknowledged"))
        }
    }
}
#endif
