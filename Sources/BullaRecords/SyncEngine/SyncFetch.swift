/// A fetch of an engine: first which zones have changed, then what is new in each.
struct SyncFetch {
    private let engine: CKSyncEngine

    init(_ engine: CKSyncEngine) { self.engine = engine }

    private var database: CKDatabase { engine.database }
    private var state: CKSyncEngine.State { engine.state }

    func run(_ context: CKSyncEngine.FetchChangesContext) async throws(CKError) {
        try await engine.checkUser()
        await engine.tell(.willFetchChanges(.init(context: context)))
        let options =
            await engine.configuration.delegate?
            .nextFetchChangesOptions(context, syncEngine: engine) ?? context.options
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
                state.update { data in
                    for zone in page.deletions { data.forget(zone.zoneID) }
                    for zone in page.modifications { data.note(zone.zoneID) }
                    data.databaseToken = page.changeToken
                }
                hasMore = page.moreComing
                guard !page.modifications.isEmpty || !page.deletions.isEmpty else { continue }
                await engine.tell(
                    .fetchedDatabaseChanges(
                        .init(modifications: page.modifications, deletions: page.deletions)))
                await engine.tellState()
            } catch {
                let error = CKError(any: error)
                guard error.code == .changeTokenExpired, former != nil else { throw error }
                // Everything is fetched again, and the delegate gets what it may know already.
                state.update { $0.databaseToken = nil }
            }
        }
    }

    /// Fetches the zones that have changed.
    ///
    /// - Returns: the first passing error; such zones are fetched again.
    private func fetchRecords(
        _ options: CKSyncEngine.FetchChangesOptions
    ) async throws(CKError) -> CKError? {
        let unfetched = state.zoneIDsWithUnfetchedServerChanges
        let first = options.prioritizedZoneIDs.filter { unfetched.contains($0) }
        let zones = first + unfetched.filter { !first.contains($0) }
        var passing: CKError?
        for zone in zones where options.scope.contains(zone) {
            await engine.tell(.willFetchRecordZoneChanges(.init(zoneID: zone)))
            var failure: CKError?
            do throws(CKError) { failure = try await fetch(zone) } catch { failure = error }
            let isPassing = failure?.isPassing ?? false
            if !isPassing { state.update { $0.unfetched.removeAll { $0 == zone } } }
            await engine.tell(.didFetchRecordZoneChanges(.init(zoneID: zone, error: failure)))
            await engine.tellState()
            if isPassing { passing = passing ?? failure }
            try engine.checkCancellation()
        }
        return passing
    }

    /// Fetches what is new in a zone, page by page.
    ///
    /// - Returns: an error that names the records that could not be opened.
    private func fetch(_ zone: CKRecordZone.ID) async throws(CKError) -> CKError? {
        var failures: [CKError.Item: any Error] = [:]
        var hasMore = true
        while hasMore {
            try engine.checkCancellation()
            let former = state.update { $0.zoneTokens[zone] }
            do {
                let page = try await database.recordZoneChanges(inZoneWith: zone, since: former)
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
                // The state says that a page was fetched only after the delegate has it.
                state.update { $0.zoneTokens[zone] = page.changeToken }
                await engine.tellState()
            } catch {
                let error = CKError(any: error)
                guard error.code == .changeTokenExpired, former != nil else { throw error }
                state.update { $0.zoneTokens[zone] = nil }
            }
        }
        return failures.isEmpty ? nil : CKError(partial: failures)
    }
}

extension CKError {
    /// The error that a database has thrown: always one of this type.
    init(any error: any Error) {
        self = (error as? CKError) ?? CKError(.internalError, "\(error)")
    }
}
