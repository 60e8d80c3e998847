internal import Synchronization

/// Saves and deletions of records, which tells of each by blocks: for programs that are written so.
///
/// ```swift
/// let operation = CKModifyRecordsOperation(recordsToSave: [note], recordIDsToDelete: nil)
/// operation.modifyRecordsResultBlock = { result in finish(result) }
/// container.privateCloudDatabase.add(operation)
/// ```
///
/// It does what `modifyRecords` of ``CKDatabase`` does. What it is told after it was added is of no
/// effect.
public final class CKModifyRecordsOperation: Sendable {
    /// What a save does about a record that others have changed.
    public enum RecordSavePolicy: Int, CaseIterable, Sendable {
        /// It is refused; what was changed here is saved over the version that was read.
        case ifServerRecordUnchanged = 0
        /// What was changed here is saved, whatever others have changed.
        case changedKeys = 1
        /// All fields are saved as they are here; those that only the store has stay.
        case allKeys = 2
    }

    /// Told of a record what became of its save.
    public typealias SaveBlock = @Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void
    /// Told of a record what became of its deletion.
    public typealias DeleteBlock = @Sendable (CKRecord.ID, Result<Void, any Error>) -> Void
    /// Told what became of the whole.
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

    /// An operation that does nothing before it is added to a database.
    public init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        state = Mutex(
            Settings(
                recordsToSave: recordsToSave ?? [], recordIDsToDelete: recordIDsToDelete ?? []))
    }

    var settings: Settings { state.withLock { $0 } }

    /// The records to be saved.
    public var recordsToSave: [CKRecord]? {
        get { settings.recordsToSave }
        set { state.withLock { $0.recordsToSave = newValue ?? [] } }
    }

    /// The records to be deleted.
    public var recordIDsToDelete: [CKRecord.ID]? {
        get { settings.recordIDsToDelete }
        set { state.withLock { $0.recordIDsToDelete = newValue ?? [] } }
    }

    /// What to do about records that others have changed: at first, to refuse the save.
    public var savePolicy: RecordSavePolicy {
        get { settings.savePolicy }
        set { state.withLock { $0.savePolicy = newValue } }
    }

    /// Whether all changes of a zone are made, or none: at first, they are.
    public var isAtomic: Bool {
        get { settings.isAtomic }
        set { state.withLock { $0.isAtomic = newValue } }
    }

    /// Told of each record what became of its save.
    public var perRecordSaveBlock: SaveBlock? {
        get { settings.perRecordSaveBlock }
        set { state.withLock { $0.perRecordSaveBlock = newValue } }
    }

    /// Told of each record what became of its deletion.
    public var perRecordDeleteBlock: DeleteBlock? {
        get { settings.perRecordDeleteBlock }
        set { state.withLock { $0.perRecordDeleteBlock = newValue } }
    }

    /// Told once, after all others, what became of the whole: ``CKError/Code/partialFailure``, with
    /// the errors by the names of records, where some of them failed.
    public var modifyRecordsResultBlock: ResultBlock? {
        get { settings.resultBlock }
        set { state.withLock { $0.resultBlock = newValue } }
    }
}

extension CKDatabase {
    /// Begins an operation, whose blocks are told of it on some thread.
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
