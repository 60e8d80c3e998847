internal import Bulla
internal import Dispatch

/// One of a container's three databases: zones of records.
///
/// Verbs suspend their task and block no thread that tasks share. What they throw is always a
/// ``CKError``; besides what each says, `badContainer` where the container is not open,
/// `notAuthenticated` where the database is private and nobody is signed in, `serviceUnavailable`
/// where it is worth trying again, and `internalError` where the store failed, or what it gave back
/// is not what was sealed.
public final class CKDatabase: Sendable {
    /// Which database.
    public enum Scope: Int, CaseIterable, Sendable {
        /// Everybody's.
        case `public` = 1
        /// That of whoever is signed in.
        case `private` = 2
        /// What others share with whoever is signed in.
        case shared = 3
    }

    /// Which of the container's databases it is.
    public let databaseScope: Scope
    private let container: CKContainer

    init(_ container: CKContainer, _ scope: Scope) {
        (self.container, databaseScope) = (container, scope)
    }

    private var scope: DatabaseScope {
        switch databaseScope {
        case .public: .public
        case .private: .private
        case .shared: .shared
        }
    }

    /// Runs a read where it may block.
    func read<R: Sendable>(
        _ body: @escaping @Sendable (DatabaseView) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        try await run(on: \.reading, body)
    }

    /// Runs a change, after those that this process has asked for before.
    func write<R: Sendable>(
        _ body: @escaping @Sendable (DatabaseView) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        try await run(on: \.writing, body)
    }

    private func run<R: Sendable>(
        on queue: KeyPath<OpenContainer, DispatchQueue>,
        _ body: @escaping @Sendable (DatabaseView) throws(RecordError) -> R
    ) async throws(CKError) -> R {
        let (open, scope) = (try container.open(), scope)
        // Whoever asks is signed in now, and perhaps no more when it is this call's turn.
        let keys = open.keys
        do throws(RecordError) {
            return try await open[keyPath: queue].run { () throws(RecordError) in
                try body(open.view(scope, keys))
            }
        } catch { throw CKError(error) }
    }
}

extension DatabaseView {
    /// The database, for zones of whoever owns one.
    ///
    /// - Throws: `zoneNotFound` for a zone that is in another database.
    func zones(like zone: CKRecordZone.ID) throws(RecordError) -> DatabaseView {
        try zones(of: zone.owner())
    }

    /// The record for whoever sees the database.
    func given(
        _ record: Record, _ id: CKRecord.ID, desiredKeys: Set<String>? = nil
    ) -> CKRecord {
        CKRecord.of(record, id, viewer: session.account, AssetShelf(core), desiredKeys: desiredKeys)
    }
}

extension Result where Failure == RecordError {
    /// The same for those who know ``CKError``.
    func given<R>(_ body: (Success) -> R) -> Result<R, any Error> {
        switch self {
        case .success(let value): .success(body(value))
        case .failure(let error): .failure(CKError(error))
        }
    }
}
