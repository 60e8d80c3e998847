#if PostgreSQL
internal import BullaRecords
internal import Synchronization

/// Creates the tables of a database if they are missing; looks for them only once.
final class TablePreparation: Sendable {
    private let isDone = Atomic(false)

    /// Checks the tables' format, and creates or completes the tables if necessary.
    ///
    /// If the tables are complete, this only reads them. So a new backend locks nothing that others
    /// use.
    func run(over pool: ConnectionPool, _ patience: Patience) throws(RecordError) {
        guard !isDone.load(ordering: .acquiring) else { return }
        let attempt = "create the tables of a database"
        let format = try patience.repeatedly("read the format of a database", isRepeatable: true) {
            () throws(StatementFailure) in
            try pool.lend { connection throws(StatementFailure) in
                let tables = try connection.run(StoreStatements.storeTables, [])
                return try tables.rowCount == 0 ? nil : connection.format()
            }
        }
        if format != [Tables.format] { try createTables(attempt, pool, patience) }
        isDone.store(true, ordering: .releasing)
    }

    private func createTables(
        _ attempt: String, _ pool: ConnectionPool, _ patience: Patience
    ) throws(RecordError) {
        let timeline = try RandomIdentifier.new()
        // If two processes create the tables at the same time, one of them can fail; it then tries
        // again.
        try patience.repeatedly(attempt, isRepeatable: true) { () throws(StatementFailure) in
            try pool.lend { connection throws(StatementFailure) in
                try connection.transaction { connection throws(StatementFailure) in
                    try connection.createTables(timeline, attempt)
                }
            }
        }
    }
}

extension Connection {
    /// The format of the tables; `nil` if it is not noted yet.
    fileprivate func format() throws(StatementFailure) -> [UInt8]? {
        let rows = try run(StoreStatements.setting, [.text("format")])
        return try rows.rowCount == 0 ? nil : rows.bytes(0, 0)
    }

    fileprivate func createTables(
        _ timeline: RandomIdentifier, _ attempt: String
    ) throws(StatementFailure) {
        let former = try run(StoreStatements.storeTables, [])
        if former.rowCount > 0, try format() == [Tables.formerFormat] {
            try run(script: Tables.completion)
        }
        try run(script: Tables.definition)
        _ = try run(StoreStatements.keepSetting, [.text("format"), .bytes([Tables.format])])
        _ = try run(StoreStatements.keepSetting, [.text("timeline"), .bytes(timeline.bytes)])
        _ = try run(
            StoreStatements.upgradeSetting,
            [.text("format"), .bytes([Tables.format]), .bytes([Tables.formerFormat])])
        let format = try format() ?? []
        guard format == [Tables.format] else {
            throw .stopped(RecordError(.internalError, "\(attempt): they have format \(format)"))
        }
    }
}
#endif
