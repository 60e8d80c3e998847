#if PostgreSQL
package import BullaRecords
internal import Synchronization

/// Stores records in a PostgreSQL database, or in one that speaks its language, which any number of
/// processes can share.
///
/// A change of a zone is one transaction that locks the zone's head first: changes of one zone
/// follow each other, and those of two zones do not meet. The isolation level is "read committed":
/// under the lock each statement sees the newest state, and other readers need one statement each.
///
/// A transaction that the database ends, or whose connection is lost before its commit, runs
/// again for a few seconds. If the connection is lost during the commit, a batch runs again as
/// well: under the lock it finds its identifier if it was committed. Other changes that must not
/// run twice throw `unavailable` then.
package final class PostgreSQLBackend: RecordBackend {
    private let pool: ConnectionPool
    private let patience: Duration
    /// Where this backend counts its changes.
    private let slot = Int64.random(in: 0..<Tables.slotCount)

    /// Connects to a database, and creates its tables if they are missing.
    ///
    /// - Parameters:
    ///   - connectionLimit: how many connections there are at most; at least two.
    ///   - waiterLimit: how many calls may wait for one; more are turned away at once.
    ///   - patience: how long a call that failed runs again.
    package init(
        _ address: DatabaseAddress, connectionLimit: Int = 8, waiterLimit: Int = 256,
        patience: Duration = .seconds(10)
    ) throws(RecordError) {
        self.patience = patience
        // A call of the core can need a second one while it reads a zone.
        pool = ConnectionPool(
            address, connectionLimit: max(connectionLimit, 2), waiterLimit: waiterLimit
        ) { connection throws(StatementFailure) in try Self.examine(connection) }
        try prepareTables()
    }

    /// Refuses a server that loses acknowledged commits in a crash.
    private static func examine(_ connection: Connection) throws(StatementFailure) {
        let settings = try connection.run(StoreStatements.safety)
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

    private func prepareTables() throws(RecordError) {
        let timeline = try RandomIdentifier.new()
        let attempt = "create the tables of a database"
        // Two gateways that begin together can meet here: one of them fails, and looks again.
        try change(attempt, isRepeatable: true) { connection throws(StatementFailure) in
            try connection.run(script: Tables.definition)
            _ = try connection.run(
                StoreStatements.keepSetting, [.text("format"), .bytes([Tables.format])])
            _ = try connection.run(
                StoreStatements.keepSetting, [.text("timeline"), .bytes(timeline.bytes)])
            let format = try connection.run(StoreStatements.setting, [.text("format")]).bytes(0, 0)
            guard format == [Tables.format] else {
                throw .stopped(
                    RecordError(.internalError, "\(attempt): they have format \(format)"))
            }
        }
    }

    package func timeline() throws(RecordError) -> RandomIdentifier {
        try read("tell the timeline of a database") { connection throws(StatementFailure) in
            try connection.run(StoreStatements.setting, [.text("timeline")]).identifier(0, 0)
        }
    }

    /// Begins another timeline, so that clients whose tokens name the former one start over.
    ///
    /// A restored database has the timeline of its backup: whoever restores one calls this.
    package func forkTimeline() throws(RecordError) {
        let timeline = try RandomIdentifier.new()
        try change("begin another timeline", isRepeatable: true) {
            connection throws(StatementFailure) in
            _ = try connection.run(
                StoreStatements.changeSetting, [.text("timeline"), .bytes(timeline.bytes)])
            try announce(over: connection)
        }
    }

    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        let deadline = ContinuousClock.now + timeout
        var backoff = Backoff(.milliseconds(10), upTo: .milliseconds(200))
        while true {
            let count = try read("wait for a change") { connection throws(StatementFailure) in
                try UInt64(max(connection.run(StoreStatements.changeCount).integer(0, 0), 0))
            }
            // A restore can lower the count, which is news as well.
            guard count == commit else { return count }
            guard backoff.take(until: deadline) else { return nil }
        }
    }
}

extension PostgreSQLBackend {
    /// Runs one statement that changes nothing, again if that is worth trying.
    func read<R>(
        _ attempt: String, _ body: (Connection) throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        try patiently(attempt, isRepeatable: true) { () throws(StatementFailure) in
            try pool.lend(body)
        }
    }

    /// Runs statements that all see one state of the database.
    ///
    /// It does not run them again: before one fails, `body` may have passed a part on.
    func look<R>(
        _ attempt: String, _ body: (Connection) throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        do throws(StatementFailure) {
            return try pool.lend { connection throws(StatementFailure) in
                try connection.transaction(isSnapshot: true, body)
            }
        } catch { throw error.error(attempt) }
    }

    /// Runs a transaction.
    ///
    /// - Parameter isRepeatable: whether it may run again after it was perhaps committed.
    @discardableResult
    func change<R>(
        _ attempt: String, isRepeatable: Bool,
        _ body: (Connection) throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        try patiently(attempt, isRepeatable: isRepeatable) { () throws(StatementFailure) in
            try pool.lend { connection throws(StatementFailure) in
                try connection.transaction(body)
            }
        }
    }

    /// Counts a change, for those who wait for one: the last statement of its transaction.
    func announce(over connection: Connection) throws(StatementFailure) {
        _ = try connection.run(StoreStatements.countChange, [.integer(slot)])
    }

    private func patiently<R>(
        _ attempt: String, isRepeatable: Bool, _ body: () throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        let deadline = ContinuousClock.now + patience
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
