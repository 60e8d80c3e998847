/// A fetch by an engine: first it learns which zones have changed, then it fetches what is new in
/// each.
struct SyncFetch {
    private let engine: CKSyncEngine
    /// The database of the user who was signed in when the fetch began.
    private let database: CKDatabase

    static func run(
        _ engine: CKSyncEngine, _ context: CKSyncEngine.FetchChangesContext
    ) async throws(CKError) {
        let database = try await engine.userDatabase()
        try await SyncFetch(engine: engine, database: database).run(context)
    }

    private var state: CKSyncEngine.State { engine.state }

    private func run(_ context: CKSyncEngine.FetchChangesContext) async throws(CKError) {
        await engine.tell(.willFetchChanges(.init(context: context)))
        let options =
            await engine.ask { await $0.nextFetchChangesOptions(context, syncEngine: $1) }
            ?? context.options
        var failure: CKError?
        do throws(CKError) {
            try await fetchZones()
            failure = try await fetchRecords(options)
        } catch { failure = error }
        await engine.tell(.didFetchChanges(.init(context: context)))
        if let failure { throw failure }
    }

    /// Learns which zones have changed, page by page.
    private func fetchZones() async throws(CKError) {
        var hasMore = true
        while hasMore {
            try engine.checkCancellation()
            let former = state.update { $0.databaseToken }
            do {
                let page = try await database.databaseChanges(since: former)
                // When a fetch starts over, its pages contain again every zone whose keys were
                // reset, but the engine tells its delegate of each such zone only once.
                let known = state.update { $0.resets }
                let deletions = page.deletions.filter {
                    $0.reason != .encryptedDataReset || !known.contains($0.zoneID)
                }
                state.update { $0.take(page.modifications, deletions, page.changeToken) }
                hasMore = page.moreComing
                guard !page.modifications.isEmpty || !deletions.isEmpty else { continue }
                await engine.tell(
                    .fetchedDatabaseChanges(
                        .init(modifications: page.modifications, deletions: deletions)))
                await engine.tellState()
            } catch {
                let error = CKError(any: error)
                guard error.asksForNewToken, former != nil else { throw error }
                // Everything is fetched again, so the delegate may get changes that it already
                // knows.
                state.update { $0.databaseToken = nil }
            }
        }
    }

    /// Fetches the zones that have changed.
    ///
    /// - Returns: the first error after which a zone has to be fetched again; `nil` if there is
    ///   none.
    private func fetchRecords(
        _ options: CKSyncEngine.FetchChangesOptions
    ) async throws(CKError) -> CKError? {
        let unfetched = state.zoneIDsWithUnfetchedServerChanges
        let first = options.prioritizedZoneIDs.filter { unfetched.contains($0) }
        let zones = first + unfetched.filter { !first.contains($0) }
        var unfinished: CKError?
        for zone in zones where options.scope.contains(zone) {
            await engine.tell(.willFetchRecordZoneChanges(.init(zoneID: zone)))
            var failure: CKError?
            do throws(CKError) { failure = try await fetch(zone) } catch { failure = error }
            let isDone = failure.map { [.partialFailure, .zoneNotFound].contains($0.code) } ?? true
            if isDone { state.update { $0.unfetched.removeAll { $0 == zone } } }
            await engine.tell(.didFetchRecordZoneChanges(.init(zoneID: zone, error: failure)))
            await engine.tellState()
            if !isDone { unfinished = unfinished ?? failure }
            try engine.checkCancellation()
        }
        return unfinished
    }

    /// Fetches what is new in a zone, page by page.
    ///
    /// - Returns: an error that names the records that could not be opened; `nil` if all could.
    private func fetch(_ zone: CKRecordZone.ID) async throws(CKError) -> CKError? {
        var failures: [CKError.Item: any Error] = [:]
        var hasMore = true
        while hasMore {
            try engine.checkCancellation()
            let former = state.update { $0.zoneTokens[zone] }
            do {
                // Even without a token, the program may have records: those that it has sent. So it
                // must learn of deletions.
                let page = try await database.zoneChanges(zone, since: former, hasRecords: true)
                var modifications: [CKDatabase.RecordZoneChange.Modification] = []
                for (id, result) in page.modificationResultsByID {
                    switch result {
                    case .success(let modification): modifications.append(modification)
                    case .failure(let error): failures[.record(id)] = error
                    }
                }
                hasMore = page.moreComing
                if !modifications.isEmpty || !page.deletions.isEmpty {
                    await engine.tell(
                        .fetchedRecordZoneChanges(
                            .init(modifications: modifications, deletions: page.deletions)))
                }
                // The token is kept only after the delegate has the page, so that no page is lost.
                state.update { $0.zoneTokens[zone] = page.changeToken }
                await engine.tellState()
            } catch {
                let error = CKError(any: error)
                guard error.asksForNewToken, former != nil else { throw error }
                state.update { $0.zoneTokens[zone] = nil }
            }
        }
        return failures.isEmpty ? nil : CKError(partial: failures)
    }
}

extension SyncData {
    /// Takes over a page of a database's changes.
    fileprivate mutating func take(
        _ modifications: [CKDatabase.DatabaseChange.Modification],
        _ deletions: [CKDatabase.DatabaseChange.Deletion], _ token: CKServerChangeToken
    ) {
        for deletion in deletions {
            forget(deletion.zoneID)
            resets.remove(deletion.zoneID)
            if deletion.reason == .encryptedDataReset { resets.insert(deletion.zoneID) }
        }
        for modification in modifications {
            note(modification.zoneID)
            resets.remove(modification.zoneID)
        }
        databaseToken = token
    }
}

extension CKError {
    /// Whether the fetch has to start over without its token, because the token is too old, or was
    /// damaged where the program stores it.
    fileprivate var asksForNewToken: Bool {
        code == .changeTokenExpired || code == .invalidArguments
    }

    /// Converts what a method of a database has thrown, which is always a ``CKError``.
    init(any error: any Error) {
        self = (error as? CKError) ?? CKError(.internalError, "\(error)")
    }
}
