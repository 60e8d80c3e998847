internal import Bulla
internal import Dispatch

/// One of a container's three databases: zones of records.
///
/// Methods suspend their task, and block no thread that tasks share. Every error is a ``CKError``.
/// Besides the documented codes, every method can throw `badContainer` if the container is not
/// open, `notAuthenticated` if the database is private or shared and no user is signed in,
/// `serviceUnavailable` if trying again may help, and `internalError` if the store failed, or
/// returned data that is not what was sealed.
public final class CKDatabase: Sendable {
    /// The kinds of databases.
    public enum Scope: Int, CaseIterable, Sendable {
        /// The database that all users have in common.
        case `public` = 1
        /// The database of the signed-in user.
        case `private` = 2
        /// The zones that others share with the signed-in user.
        case shared = 3
    }

    /// Which of the container's databases this is.
    public let databaseScope: Scope
    private let container: CKContainer
    /// The only user for whom this object works; `nil` for any signed-in user.
    private let user: String?

    init(_ container: CKContainer, _ scope: Scope, user: String? = nil) {
        (self.container, databaseScope, self.user) = (container, scope, user)
    }

    /// The same database for one user: its calls fail unless that user is signed in.
    func pinned(to user: String) -> CKDatabase { CKDatabase(container, databaseScope, user: user) }

    /// The open container.
    ///
    /// - Throws: `badContainer`.
    func opened() throws(CKError) -> any RecordContainer { try container.open() }

    /// Runs a read off the threads that tasks share.
    func read<R: Sendable>(
        _ body: @escaping @Sendable (any RecordDatabase) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        try await run(on: { $0.reading }, body)
    }

    /// Runs a change, after all changes that this process requested earlier in this container.
    func write<R: Sendable>(
        _ body: @escaping @Sendable (any RecordDatabase) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        try await run(on: { $0.writing }, body)
    }

    private func run<R: Sendable>(
        on queue: (any RecordContainer) -> DispatchQueue,
        _ body: @escaping @Sendable (any RecordDatabase) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        let open = try container.open()
        do throws(RecordError) {
            // Read the signed-in user now: when this call's turn comes, another user may have
            // signed in.
            let database = try open.database(DatabaseScope(databaseScope), of: user)
            return try await queue(open).run { () throws(RecordError) in try body(database()) }
        } catch { throw CKError(error) }
    }
}

extension DatabaseScope {
    init(_ scope: CKDatabase.Scope) {
        self =
            switch scope {
            case .public: .public
            case .private: .private
            case .shared: .shared
            }
    }
}

extension RecordDatabase {
    /// This database as a view of the zones of `zone`'s owner, who need not be the signed-in user.
    ///
    /// - Throws: `zoneNotFound` if the owner's zones are in another database.
    func zones(like zone: CKRecordZone.ID) throws(RecordError) -> Self {
        try zones(of: zone.owner())
    }

    /// The record as the database's user gets it.
    func given(
        _ record: Record, _ id: CKRecord.ID, desiredKeys: Set<String>? = nil
    ) -> CKRecord {
        CKRecord.of(
            record, id, viewer: viewer, AssetShelf(assets(of: record)), desiredKeys: desiredKeys)
    }
}

extension Result where Failure == RecordError {
    /// The result with its value converted by `body`, or its error converted to a ``CKError``.
    func given<R>(_ body: (Success) -> R) -> Result<R, any Error> {
        switch self {
        case .success(let value): .success(body(value))
        case .failure(let error): .failure(CKError(error))
        }
    }
}
