/// Changes of several records.
public enum CKModifyRecordsOperation {
    /// What a save does about a record that others have changed.
    public enum RecordSavePolicy: Int, CaseIterable, Sendable {
        /// It is refused; what was changed here is saved over the version that was read.
        case ifServerRecordUnchanged = 0
        /// What was changed here is saved, whatever others have changed.
        case changedKeys = 1
        /// All fields are saved as they are here; those that only the store has stay.
        case allKeys = 2
    }
}
