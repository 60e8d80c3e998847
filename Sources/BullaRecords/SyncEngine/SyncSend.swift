/// Sends an engine's pending changes: first those of zones, then batches of records.
struct SyncSend {
    private let engine: CKSyncEngine

    init(_ engine: CKSyncEngine) { self.engine = engine }

    private var database: CKDatabase { engine.database }
    private var state: CKSyncEngine.State { engine.state }

    func run(_ context: CKSyncEngine.SendChangesContext) async throws(CKError) {
        try await engine.checkUser()
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
            state.update { $0.zones.remove(change.zoneID, change.isSave, before: mark) }
        }
        await engine.tell(.sentDatabaseChanges(sent))
        await engine.tellState()
        if let passing { throw passing }
    }

    /// Sends the change of one zone, and notes what has become of it.
    private func send(
        _ change: CKSyncEngine.PendingDatabaseChange,
        _ sent: inout CKSyncEngine.Event.SentDatabaseChanges
    ) async -> CKError? {
        do {
            switch change {
            case .saveZone(let zone): sent.savedZones.append(try await database.save(zone))
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

    /// How often in a row a batch may change nothing before the engine gives up.
    private static let idleLimit = 20

    /// Sends batches of records, each after the changes of zones that are pending by then.
    private func sendAll(_ context: CKSyncEngine.SendChangesContext) async throws(CKError) {
        var idleCount = 0
        while true {
            try await sendZones(context.options.scope)
            // A change that the program adds again from now on stays pending.
            let mark = state.update { $0.records.mark }
            let next = await engine.configuration.delegate?
                .nextRecordZoneChangeBatch(context, syncEngine: engine)
            guard let batch = next, batch.count > 0 else { return }
            try engine.checkCancellation()
            let sent = try await send(batch, mark)
            let isIdle = sent.savedRecords.isEmpty && sent.deletedRecordIDs.isEmpty
            idleCount = isIdle ? idleCount + 1 : 0
            guard idleCount < Self.idleLimit else {
                throw CKError(
                    .requestRateLimited,
                    "send records: \(idleCount) batches in a row have changed nothing")
            }
        }
    }

    /// Sends a batch, and reports what has become of it.
    ///
    /// - Parameter mark: changes that were added after it stay pending.
    private func send(
        _ batch: CKSyncEngine.RecordZoneChangeBatch, _ mark: UInt64
    ) async throws(CKError) -> CKSyncEngine.Event.SentRecordZoneChanges {
        let sent = await outcome(of: batch)
        let errors = sent.errors
        state.update { data in
            for change in batch.changes where errors[change.recordID]?.keepsPending != true {
                data.records.remove(change.recordID, change.isSave, before: mark)
            }
        }
        await engine.tell(.sentRecordZoneChanges(sent))
        await engine.tellState()
        if let passing = errors.values.first(where: \.isPassing) { throw passing }
        return sent
    }

    private func outcome(
        of batch: CKSyncEngine.RecordZoneChangeBatch
    ) async -> CKSyncEngine.Event.SentRecordZoneChanges {
        var sent = CKSyncEngine.Event.SentRecordZoneChanges()
        for part in batch.parts { await send(part, &sent) }
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
    /// Whether a change that failed so stays pending: also one that failed because of another
    /// change of its batch.
    fileprivate var keepsPending: Bool { isPassing || code == .batchRequestFailed }
}
