/// Sends an engine's pending changes: first those of zones, then batches of records.
struct SyncSend {
    private let engine: CKSyncEngine
    /// The database of the user who was signed in when sending began.
    private let database: CKDatabase

    static func run(
        _ engine: CKSyncEngine, _ context: CKSyncEngine.SendChangesContext
    ) async throws(CKError) {
        let database = try await engine.userDatabase()
        try await SyncSend(engine: engine, database: database).run(context)
    }

    private var state: CKSyncEngine.State { engine.state }

    private func run(_ context: CKSyncEngine.SendChangesContext) async throws(CKError) {
        await engine.tell(.willSendChanges(.init(context: context)))
        if state.hasPendingChanges { await engine.tellState() }
        var failure: CKError?
        do throws(CKError) { try await sendAll(context) } catch { failure = error }
        await engine.tell(.didSendChanges(.init(context: context)))
        if let failure { throw failure }
    }

    private func sendZones(
        _ scope: CKSyncEngine.SendChangesOptions.Scope
    ) async throws(CKError) {
        let changes = state.pendingDatabaseChanges.filter { scope.contains($0) }
        guard !changes.isEmpty else { return }
        try engine.checkCancellation()
        let mark = state.update { $0.zones.mark }
        var sent = CKSyncEngine.Event.SentDatabaseChanges()
        var passing: CKError?
        for change in changes {
            let error = await send(change, &sent)
            guard error?.isPassing != true else {
                passing = passing ?? error
                continue
            }
            state.update { _ = $0.zones.remove(change.zoneID, change.isSave, before: mark) }
        }
        await engine.tell(.sentDatabaseChanges(sent))
        await engine.tellState()
        if let passing { throw passing }
    }

    /// Sends the change of one zone, and adds its outcome to `sent`.
    private func send(
        _ change: CKSyncEngine.PendingDatabaseChange,
        _ sent: inout CKSyncEngine.Event.SentDatabaseChanges
    ) async -> CKError? {
        do {
            switch change {
            case .saveZone(let zone): sent.savedZones.append(try await save(zone))
            case .deleteZone(let id):
                sent.deletedZoneIDs.append(try await database.deleteRecordZone(withID: id))
            }
            return nil
        } catch {
            let error = CKError(any: error)
            switch change {
            case .saveZone(let zone): sent.failedZoneSaves.append(.init(zone: zone, error: error))
            case .deleteZone(let id): sent.failedZoneDeletes[id] = error
            }
            return error
        }
    }

    /// Creates a zone; if the zone's keys were reset, deletes it first, since nobody can open it.
    private func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        do { return try await database.save(zone) } catch {
            guard CKError(any: error).userDidResetEncryptedData else { throw error }
        }
        try await database.deleteRecordZone(withID: zone.zoneID)
        state.update { _ = $0.resets.remove(zone.zoneID) }
        return try await database.save(zone)
    }

    /// How many batches in a row may change nothing before the engine gives up.
    private static let idleLimit = 20

    /// Sends batches of records; before each batch, sends the pending changes of zones.
    private func sendAll(_ context: CKSyncEngine.SendChangesContext) async throws(CKError) {
        var idleCount = 0
        while true {
            try await sendZones(context.options.scope)
            // A change that the program adds from now on stays pending, even if the batch contains
            // it.
            let mark = state.update { $0.records.mark }
            let next = await engine.ask {
                await $0.nextRecordZoneChangeBatch(context, syncEngine: $1)
            }
            guard let batch = next.flatMap({ $0 }), batch.count > 0 else { return }
            try engine.checkCancellation()
            idleCount = try await send(batch, mark) ? 0 : idleCount + 1
            guard idleCount < Self.idleLimit else {
                throw CKError(
                    .requestRateLimited,
                    "send records: \(idleCount) batches in a row have changed nothing")
            }
        }
    }

    /// Sends a batch, and reports its outcome.
    ///
    /// - Parameter mark: changes that were added after it stay pending.
    /// - Returns: whether at least one pending change of the batch has succeeded. If the state has
    ///   ``CKSyncEngine/State/hasPendingUntrackedChanges``, any change of the batch counts, pending
    ///   or not.
    private func send(
        _ batch: CKSyncEngine.RecordZoneChangeBatch, _ mark: UInt64
    ) async throws(CKError) -> Bool {
        let sent = await outcome(of: batch)
        let errors = sent.errors
        // If the container was closed meanwhile, that has caused the errors, so the changes that
        // failed stay pending.
        let isOpen = (try? database.opened()) != nil
        let hasProgress = state.update { data in
            var hasProgress = false
            for change in batch.changes {
                let error = errors[change.recordID]
                guard error?.keepsPending != true, isOpen || error == nil else { continue }
                let wasPending = data.records.remove(
                    change.recordID, change.isSave, before: mark)
                hasProgress = hasProgress || error == nil && (wasPending || data.hasUntracked)
            }
            return hasProgress
        }
        await engine.tell(.sentRecordZoneChanges(sent))
        await engine.tellState()
        if let passing = errors.values.first(where: \.isPassing) { throw passing }
        return hasProgress
    }

    private func outcome(
        of batch: CKSyncEngine.RecordZoneChangeBatch
    ) async -> CKSyncEngine.Event.SentRecordZoneChanges {
        var sent = CKSyncEngine.Event.SentRecordZoneChanges()
        for part in batch.withoutRepetitions.parts { await send(part, &sent) }
        return sent
    }

    private func send(
        _ batch: CKSyncEngine.RecordZoneChangeBatch,
        _ sent: inout CKSyncEngine.Event.SentRecordZoneChanges
    ) async {
        do {
            let (saved, deleted) = try await database.modifyRecords(
                saving: batch.recordsToSave, deleting: batch.recordIDsToDelete,
                atomically: batch.atomicByZone)
            for record in batch.recordsToSave {
                switch saved[record.recordID] {
                case .success(let record): sent.savedRecords.append(record)
                case .failure(let error): sent.fail(record, CKError(any: error))
                case nil: sent.fail(record, CKError(.internalError))
                }
            }
            for id in batch.recordIDsToDelete {
                switch deleted[id] {
                case .success: sent.deletedRecordIDs.append(id)
                case .failure(let error): sent.failedRecordDeletes[id] = CKError(any: error)
                case nil: sent.failedRecordDeletes[id] = CKError(.internalError)
                }
            }
        } catch {
            let error = CKError(any: error)
            for record in batch.recordsToSave { sent.fail(record, error) }
            for id in batch.recordIDsToDelete { sent.failedRecordDeletes[id] = error }
        }
    }
}

extension CKSyncEngine.Event.SentRecordZoneChanges {
    fileprivate mutating func fail(_ record: CKRecord, _ error: CKError) {
        failedRecordSaves.append(FailedRecordSave(record: record, error: error))
    }

    fileprivate var errors: [CKRecord.ID: CKError] {
        var errors = failedRecordDeletes
        for failure in failedRecordSaves { errors[failure.record.recordID] = failure.error }
        return errors
    }
}

extension CKError {
    /// Whether a change that failed with this error stays pending: the error is temporary, or only
    /// another change of the batch was at fault.
    fileprivate var keepsPending: Bool { isPassing || code == .batchRequestFailed }
}
