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
package final class PostgreSQLBackend: SiteBackend {
    let claim: HomeClaim?
    private let pool: ConnectionPool
    private let patience: Patience
    private let preparation: TablePreparation
    /// The row of `activity` in which this backend counts its changes.
    private let slot: Int64

    /// Connects to a database, and creates its tables if they are missing.
    ///
    /// - Parameters:
    ///   - connectionLimit: the maximum number of connections; less than 2 counts as 2.
    ///   - waiterLimit: how many calls may wait for a connection; further calls fail at once.
    ///   - patience: for how long the backend repeats a failing call.
    ///   - mayBeAway: whether the database may be out of reach now; then the first call that
    ///     reaches it creates the tables.
    package init(
        _ address: DatabaseAddress, connectionLimit: Int = 8, waiterLimit: Int = 256,
        patience: Duration = .seconds(10), mayBeAway: Bool = false
    ) throws(RecordError) {
        (self.patience, claim) = (Patience(patience), nil)
        preparation = TablePreparation()
        slot = .random(in: 0..<Tables.slotCount)
        // A call of the core can need a second connection while it reads a zone.
        pool = ConnectionPool(
            address, connectionLimit: max(connectionLimit, 2), waiterLimit: waiterLimit
        ) { connection throws(StatementFailure) in try connection.examine() }
        do throws(RecordError) {
            try preparation.run(over: pool, Patience(mayBeAway ? .zero : patience))
        } catch {
            guard mayBeAway, error.code == .unavailable else { throw error }
        }
    }

    private init(_ other: PostgreSQLBackend, _ claim: HomeClaim?, _ patience: Patience) {
        (pool, slot, preparation) = (other.pool, other.slot, other.preparation)
        (self.claim, self.patience) = (claim, patience)
    }

    package func claiming(_ claim: HomeClaim?) -> any SiteBackend {
        PostgreSQLBackend(self, claim, patience)
    }

    package func impatient() -> any SiteBackend {
        PostgreSQLBackend(self, claim, Patience(.zero))
    }

    package var moves: any SiteMoves { PostgreSQLMoves(backend: self) }

    package func timeline(of database: Database) throws(RecordError) -> RandomIdentifier {
        try read("tell the timeline of a database", of: database) {
            connection throws(StatementFailure) in
            let site = try connection.run(StoreStatements.setting, [.text("timeline")])
                .identifier(0, 0)
            return try connection.home(of: database)?.timeline(at: site) ?? site
        }
    }

    package func siteTimeline() throws(RecordError) -> RandomIdentifier {
        try read("tell the timeline of a database") { connection throws(StatementFailure) in
            try connection.run(StoreStatements.setting, [.text("timeline")]).identifier(0, 0)
        }
    }

    /// Begins another timeline, so that clients with tokens of the former timeline start over.
    ///
    /// A restored database has the timeline of its backup, so call this after each restore.
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
    ///
    /// - Parameter database: the database that `body` reads. The claim on it is checked after the
    ///   read; see ``HomeRow`` for why that is enough.
    func read<R>(
        _ attempt: String, of database: Database? = nil,
        _ body: (Connection) throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        try preparation.run(over: pool, patience)
        return try patience.repeatedly(attempt, isRepeatable: true) {
            () throws(StatementFailure) in
            try pool.lend { connection throws(StatementFailure) in
                let value = try body(connection)
                if let database { try connection.checkHome(of: database, claim) }
                return value
            }
        }
    }

    /// Runs statements that all see one state of the database.
    ///
    /// It does not repeat them after a failure, because `body` may already have passed on a part of
    /// the result.
    func look<R>(
        _ attempt: String, _ body: (Connection) throws(StatementFailure) -> R
    ) throws(RecordError) -> R {
        try preparation.run(over: pool, patience)
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
        try preparation.run(over: pool, patience)
        return try patience.repeatedly(attempt, isRepeatable: isRepeatable) {
            () throws(StatementFailure) in
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
}
#endif
