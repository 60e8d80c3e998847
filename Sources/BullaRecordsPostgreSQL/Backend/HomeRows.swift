#if PostgreSQL
internal import BullaRecords

extension QueryResult {
    func home(_ row: Int, _ column: Int) throws(StatementFailure) -> HomeRow {
        let bytes = try bytes(row, column)
        do throws(RecordError) { return try HomeRow(bytes) } catch { throw .stopped(error) }
    }
}

extension Connection {
    func home(of database: Database) throws(StatementFailure) -> HomeRow? {
        try home(HomeStatements.home, database)
    }

    private func home(
        _ statement: Statement, _ database: Database
    ) throws(StatementFailure) -> HomeRow? {
        let rows = try run(statement, database.parameters)
        return try rows.rowCount == 0 ? nil : rows.home(0, 0)
    }

    /// Checks a caller's claim; see ``HomeRow/check(_:_:isChange:)``.
    ///
    /// Before a change, the transaction has locked the head of a zone; this lock keeps the home in
    /// its state.
    func checkHome(
        of database: Database, _ claim: HomeClaim?, isChange: Bool = false
    ) throws(StatementFailure) {
        guard claim != nil || isChange else { return }
        try Self.check(try home(of: database), claim, isChange: isChange)
    }

    /// Checks a caller's claim, and keeps the row of the home as it is until the end of the
    /// transaction.
    func holdHome(
        of database: Database, _ claim: HomeClaim?
    ) throws(StatementFailure) {
        if claim == nil {
            // Only a row that exists can be held.
            _ = try run(
                HomeStatements.putHome, database.parameters + [.bytes(HomeRow.first.bytes)])
        }
        try Self.check(try home(HomeStatements.holdHome, database), claim, isChange: true)
    }

    private static func check(
        _ row: HomeRow?, _ claim: HomeClaim?, isChange: Bool
    ) throws(StatementFailure) {
        do throws(RecordError) { try HomeRow.check(row, claim, isChange: isChange) } catch {
            throw .stopped(error)
        }
    }

    /// Tells a mover that index places are about to change.
    ///
    /// Call it before you lock a zone: transactions that change the row lock it before zones.
    func noteReindexing(of database: Database) throws(StatementFailure) {
        guard let row = try home(HomeStatements.lockHome, database), row.state == .sending,
            !row.isStale
        else { return }
        var stale = row
        stale.isStale = true
        _ = try run(
            HomeStatements.replaceHome,
            database.parameters + [.bytes(stale.bytes), .bytes(row.bytes)])
    }
}
#endif
