internal import Synchronization

/// An operation that saves and deletes records, and reports its results to blocks.
///
/// ```swift
/// let operation = CKModifyRecordsOperation(recordsToSave: [note], recordIDsToDelete: nil)
/// operation.modifyRecordsResultBlock = { result in finish(result) }
/// container.privateCloudDatabase.add(operation)
/// ```
///
/// The operation does the same as `modifyRecords` of ``CKDatabase``. Changing its properties after
/// it was added has no effect.
public final class CKModifyRecordsOperation: Sendable {
    /// What a save does with a record that others have changed.
    public enum RecordSavePolicy: Int, CaseIterable, Sendable {
        /// The save is refused.
        case ifServerRecordUnchanged = 0
        /// The local changes are saved, even if others have changed the record.
        case changedKeys = 1
        /// All local fields are saved; the store keeps the fields that only it has.
        case allKeys = 2
    }

    /// Called with the result of saving a record.
    public typealias SaveBlock = @Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void
    /// Called with the result of deleting a record.
    public typealias DeleteBlock = @Sendable (CKRecord.ID, Result<Void, any Error>) -> Void
    /// Called with the result of the whole operation.
    public typealias ResultBlock = @Sendable (Result<Void, any Error>) -> Void

    struct Settings: Sendable {
        var recordsToSave: [CKRecord]
        var recordIDsToDelete: [CKRecord.ID]
        var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
        var isAtomic = true
        var perRecordSaveBlock: SaveBlock?
        var perRecordDeleteBlock: DeleteBlock?
        var resultBlock: ResultBlock?
    }

    private let state: Mutex<Settings>

    /// An operation, which starts when it is added to a database.
    public init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        state = Mutex(
            Settings(
                recordsToSave: recordsToSave ?? [], recordIDsToDelete: recordIDsToDelete ?? []))
    }

    var settings: Settings { state.withLock { $0 } }

    /// The records to save.
    public var recordsToSave: [CKRecord]? {
        get { settings.recordsToSave }
        set { state.withLock { $0.recordsToSave = newValue ?? [] } }
    }

    /// The records to delete.
    public var recordIDsToDelete: [CKRecord.ID]? {
        get { settings.recordIDsToDelete }
        set { state.withLock { $0.recordIDsToDelete = newValue ?? [] } }
    }

    /// What to do with records that others have changed; by default, the save is refused.
    public var savePolicy: RecordSavePolicy {
        get { settings.savePolicy }
        set { state.withLock { $0.savePolicy = newValue } }
    }

    /// Whether the changes in a zone are atomic: all of them are made, or none; by default, yes.
    public var isAtomic: Bool {
        get { settings.isAtomic }
        set { state.withLock { $0.isAtomic = newValue } }
    }

    /// Called for each record with the result of its save.
    public var perRecordSaveBlock: SaveBlock? {
        get { settings.perRecordSaveBlock }
        set { state.withLock { $0.perRecordSaveBlock = newValue } }
    }

    /// Called for each record with the result of its deletion.
    public var perRecordDeleteBlock: DeleteBlock? {
        get { settings.perRecordDeleteBlock }
        set { state.withLock { $0.perRecordDeleteBlock = newValue } }
    }

    /// Called once, after all other blocks.
    ///
    /// If some records failed, the result is ``CKError/Code/partialFailure``, with the error of
    /// each record that failed.
    public var modifyRecordsResultBlock: ResultBlock? {
        get { settings.resultBlock }
        set { state.withLock { $0.resultBlock = newValue } }
    }
}

extension CKDatabase {
    /// Starts an operation; its blocks may be called on any thread.
    public func add(_ operation: CKModifyRecordsOperation) {
        let settings = operation.settings
        Task {
            do {
                let (saved, deleted) = try await modifyRecords(
                    saving: settings.recordsToSave, deleting: settings.recordIDsToDelete,
                    savePolicy: settings.savePolicy, atomically: settings.isAtomic)
                for (id, result) in saved { settings.perRecordSaveBlock?(id, result) }
                for (id, result) in deleted { settings.perRecordDeleteBlock?(id, result) }
                settings.resultBlock?(Self.whole(saved, deleted))
            } catch { settings.resultBlock?(.failure(error)) }
        }
    }

    private static func whole(
        _ saved: [CKRecord.ID: Result<CKRecord, any Error>],
        _ deleted: [CKRecord.ID: Result<Void, any Error>]
    ) -> Result<Void, any Error> {
        var errors: [CKError.Item: any Error] = [:]
        for case (let id, .failure(let error)) in saved { errors[.record(id)] = error }
        for case (let id, .failure(let error)) in deleted { errors[.record(id)] = error }
        return errors.isEmpty ? .success(()) : .failure(CKError(partial: errors))
    }
}
