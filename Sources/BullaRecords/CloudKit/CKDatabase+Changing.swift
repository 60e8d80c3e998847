extension CKDatabase {
    /// Saves a record over the version that was read, or as a new one.
    ///
    /// It saves the fields that were changed since the record was read; fields that others have
    /// added stay.
    ///
    /// - Returns: the same object, with the fields and the tag that the store has now.
    /// - Throws: ``CKError``: `serverRecordChanged`, with the record in the store, if others have
    ///   changed the record, or the name of a new record is taken; `unknownItem` if the record was
    ///   read, but no longer exists; `invalidArguments` for a value that the field cannot hold;
    ///   `zoneNotFound`; `referenceViolation` if its parent does not exist; `limitExceeded` for a
    ///   record of more than 1 MiB, or an asset of more than 50 MiB; `permissionFailure`, also for
    ///   a participant who may only read the shared zone; `assetFileNotFound` and
    ///   `assetFileModified` for the file of an asset; for a ``CKShare`` also
    ///   `participantMayNeedVerification` and, for more than 100 participants,
    ///   `tooManyParticipants`.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let (saved, _) = try await modifyRecords(saving: [record], deleting: [])
        guard let result = saved[record.recordID] else { throw CKError(.internalError) }
        return try result.get()
    }

    /// Deletes a record; deleting a record that does not exist succeeds.
    ///
    /// Records that refer to it with `deleteSelf` are deleted with it. If the owner deletes a
    /// ``CKShare``, the share ends; if a participant deletes it, the participant leaves the share.
    ///
    /// - Throws: ``CKError``: `referenceViolation` if other records refer to it with `validate`;
    ///   `zoneNotFound`; `permissionFailure`.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let (_, deleted) = try await modifyRecords(saving: [], deleting: [recordID])
        guard let result = deleted[recordID] else { throw CKError(.internalError) }
        try result.get()
        return recordID
    }

    /// Saves and deletes records of any zones.
    ///
    /// The changes of each zone form one batch, and the batches of different zones are independent.
    /// Afterwards, the saved records have the fields and tags that the store has.
    ///
    /// - Parameters:
    ///   - recordsToSave: the records to save; together with the records to delete, at most 200,
    ///     each named only once.
    ///   - recordIDsToDelete: the records to delete, even if others have changed them.
    ///   - savePolicy: what a save does to a record that others have changed.
    ///   - atomically: whether one change that fails makes the whole batch of its zone fail. The
    ///     other changes of the batch then get `batchRequestFailed`. In the default zone, the
    ///     changes are always independent.
    /// - Returns: for each record the result, or the ``CKError`` that ``save(_:)`` or
    ///   ``deleteRecord(withID:)`` would throw.
    /// - Throws: ``CKError``: `limitExceeded`; `invalidArguments` if a record is named twice.
    @discardableResult
    public func modifyRecords(
        saving recordsToSave: [CKRecord] = [], deleting recordIDsToDelete: [CKRecord.ID] = [],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        // Copy the records now, because the caller may change them before they are saved.
        let items =
            recordsToSave.map { RecordModification.Item.save($0, $0.snapshot) }
            + recordIDsToDelete.map { .delete($0) }
        return try await write { view throws(RecordError) in
            var modification = RecordModification(view, savePolicy, isAtomic: atomically)
            try modification.run(items)
            return (modification.saveResults, modification.deleteResults)
        }
    }
}
