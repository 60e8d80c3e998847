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
    /// For a change, the transaction must have locked the head of a zone already: a transaction
    /// that changes the home's state waits for that lock.
    func checkHome(
        of database: Database, _ claim: HomeClaim?, isChange: Bool = false
    ) throws(StatementFailure) {
        try Self.check(try home(of: database), claim, isChange: isChange)
    }

    /// Whether deletions may be forgotten now; see ``HomeRow/mayForget(_:_:)``.
    ///
    /// The transaction must have locked the head of a zone, so that no mover begins before the
    /// transaction ends.
    func mayForget(
        in database: Database, _ claim: HomeClaim?
    ) throws(StatementFailure) -> Bool {
        let row = try home(of: database)
        do throws(RecordError) { return try HomeRow.mayForget(row, claim) } catch {
            throw .stopped(error)
        }
    }

    /// Checks a caller's claim, and keeps the row of the home as it is until the end of the
    /// transaction.
    ///
    /// If the caller has no claim, this only checks the row: such a caller knows of no other site,
    /// so no mover is at work.
    func holdHome(
        of database: Database, _ claim: HomeClaim?
    ) throws(StatementFailure) {
        let statement = claim == nil ? HomeStatements.home : HomeStatements.holdHome
        try Self.check(try home(statement, database), claim, isChange: true)
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
    /// Call it before you lock a zone: a transaction that changes the home's row locks this row
    /// first, and zones after it.
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
