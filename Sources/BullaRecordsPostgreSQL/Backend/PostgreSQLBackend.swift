#if PostgreSQL
package import BullaRecords
internal import Synchronization

/// Stores records in a PostgreSQL database, or in one that speaks PostgreSQL's language.
///
/// Any number of processes can share the database.
///
/// A change of a zone is one transaction that locks the zone's head first: changes of one zone run
/// one after the other, and changes of different zones side by side. The isolation level is "read
/// committed": under the lock, each statement sees the newest state. A read without the lock is a
/// single statement, or several over one snapshot.
///
/// The backend repeats a transaction, for a few seconds, if the database aborts it, or if the
/// connection is lost before the commit. If the connection is lost during the commit, the backend
/// repeats only batches, and changes that may run twice. A repeated batch looks for its identifier
/// under the lock, and finds it if the first run was committed. Other changes throw `unavailable`.
package final class PostgreSQLBackend: RecordBackend {
    private let pool: ConnectionPool
    private let patience: Duration
    /// The row of `activity` in which this backend counts its changes.
    private let slot = Int64.random(in: 0..<Tables.slotCount)

    /// Connects to a database, and creates its tables if they are missing.
    ///
    /// - Parameters:
    ///   - connectionLimit: how many connections there are at most; 1 and less count as 2.
    ///   - waiterLimit: how many calls may wait for a connection; further calls fail at once.
    ///   - patience: how long the backend repeats a call that fails.
    package init(
        _ address: DatabaseAddress, connectionLimit: Int = 8, waiterLimit: Int = 256,
        patience: Duration = .seconds(10)
    ) throws(RecordError) {
        self.patience = patience
        // A call of the core can need a second connection while it reads a zone.
        pool = ConnectionPool(
            address, connectionLimit: max(connectionLimit, 2), waiterLimit: waiterLimit
        ) { connection throws(StatementFailure) in try Self.examine(connection) }
        try prepareTables()
    }

    /// Refuses a server that can lose acknowledged commits in a crash.
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
        // If two processes create the tables at the same time, one of them can fail, and tries
        // again.
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

    /// Begins another timeline, so that clients with tokens of the former timeline start over.
    ///
    /// A restored database has the timeline of its backup: call this after restoring one.
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
            // A restore can lower the count; that is a change, too.
            guard count == commit else { return count }
            guard backoff.take(until: deadline) else { return nil }
        }
    }
}

extension PostgreSQLBackend {
    /// Runs one statement that changes nothing, and repeats it after a temporary failure.
    func read<R>(
        _ attempt: String, _ body: (Connection) throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        try patiently(attempt, isRepeatable: true) { () throws(StatementFailure) in
            try pool.lend(body)
        }
    }

    /// Runs statements that all see one state of the database.
    ///
    /// It does not repeat them after a failure, because `body` may already have passed on a part of
    /// the result.
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
    /// - Parameter isRepeatable: whether the transaction may run again when it is unknown whether
    ///   the first run was committed.
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

    /// Counts a change, for callers that wait for one; call this as the last statement of a
    /// transaction.
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
