/// Saves and deletions on their way to the core, zone by zone, and their results.
struct RecordModification {
    enum Item {
        /// A record, and its state when the save was requested.
        case save(CKRecord, RecordState)
        case delete(CKRecord.ID)

        var id: CKRecord.ID {
            switch self {
            case .save(let record, _): record.recordID
            case .delete(let id): id
            }
        }
    }

    private let view: any RecordDatabase
    private let policy: CKModifyRecordsOperation.RecordSavePolicy
    private let isAtomic: Bool
    private var uploads: AssetUploads
    private(set) var saveResults: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    private(set) var deleteResults: [CKRecord.ID: Result<Void, any Error>] = [:]

    init(
        _ view: any RecordDatabase, _ policy: CKModifyRecordsOperation.RecordSavePolicy,
        isAtomic: Bool
    ) {
        (self.view, self.policy, self.isAtomic) = (view, policy, isAtomic)
        uploads = AssetUploads([], view)
    }

    /// Makes the changes.
    ///
    /// - Throws: errors that occur before anything is changed: `limitExceeded`, `invalidArguments`.
    mutating func run(_ items: [Item]) throws(RecordError) {
        let limit = view.limits.changeCount
        guard items.count <= limit else {
            throw RecordError(
                .limitExceeded,
                "change \(items.count) records: one request may change \(limit)")
        }
        guard Set(items.map(\.id)).count == items.count else {
            throw RecordError(.invalidArguments, "change records: one is named twice")
        }
        var zones: [CKRecordZone.ID] = []
        for item in items where !zones.contains(item.id.zoneID) { zones.append(item.id.zoneID) }
        let byZone = Dictionary(grouping: items, by: \.id.zoneID)
        uploads = AssetUploads(items, view)
        for zone in zones { run(zone, byZone[zone] ?? []) }
    }

    /// Makes the changes in one zone; an error that concerns the whole zone becomes the error of
    /// each change that has no result yet.
    private mutating func run(_ zone: CKRecordZone.ID, _ items: [Item]) {
        do throws(RecordError) {
            let (view, name) = (try view.zones(like: zone), zone.zoneName)
            var (sent, changes): ([Item], [RecordChange]) = ([], [])
            for item in items {
                if let failure = uploads.failures[item.id] {
                    saveResults[item.id] = .failure(failure)
                    continue
                }
                do throws(RecordError) {
                    changes.append(try change(item))
                    sent.append(item)
                } catch { fail(item, error) }
            }
            let isAtomic = isAtomic && name != CKRecordZone.ID.defaultZoneName
            guard !isAtomic || sent.count == items.count else {
                throw RecordError(
                    .batchFailed, "change records: another change of the batch failed")
            }
            guard !changes.isEmpty else { return }
            let results = try view.modify(changes, in: name, atomically: isAtomic)
            for (item, result) in zip(sent, results) { settle(item, result) }
        } catch {
            for item in items where !isSettled(item) { fail(item, error) }
        }
    }

    private func change(_ item: Item) throws(RecordError) -> RecordChange {
        switch item {
        case .delete(let id): return RecordChange(id.recordName, .delete(.none))
        case .save(let record, let state):
            return try state.change(
                record.recordID, record.recordType, policy, home: view.home, uploads)
        }
    }

    private func isSettled(_ item: Item) -> Bool {
        switch item {
        case .save(let record, _): saveResults[record.recordID] != nil
        case .delete(let id): deleteResults[id] != nil
        }
    }

    private mutating func settle(_ item: Item, _ result: ChangeResult) {
        switch (item, result) {
        case (.save(let record, let sent), .saved(let saved)):
            record.update { $0.settle(sent, saved, view) }
            saveResults[record.recordID] = .success(record)
        case (.delete(let id), .deleted): deleteResults[id] = .success(())
        case (_, .failed(let error, let current)): fail(item, error, current)
        default: fail(item, RecordError(.internalError, "change records: another was changed"))
        }
    }

    private mutating func fail(_ item: Item, _ error: RecordError, _ current: Record? = nil) {
        switch item {
        case .delete(let id): deleteResults[id] = .failure(CKError(error))
        case .save(let record, let sent):
            let id = record.recordID
            let error = CKError(
                error, server: current.map { view.given($0, id) }, client: record,
                ancestor: sent.ancestor(record))
            saveResults[id] = .failure(error)
        }
    }
}

extension RecordState {
    /// The record as it was read, without the changes made since.
    fileprivate func ancestor(_ record: CKRecord) -> CKRecord? {
        guard let base, let metadata else { return nil }
        return CKRecord.of(
            base, record.recordID, viewer: metadata.viewer, shelf, desiredKeys: desiredKeys)
    }
}
