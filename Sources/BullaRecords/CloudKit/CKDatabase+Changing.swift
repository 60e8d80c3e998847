extension CKDatabase {
    /// Saves a record over the version that it was read from, or as a new one.
    ///
    /// What was changed of it since it was read is saved; fields that others have added stay.
    ///
    /// - Returns: the same record, as it is in the store now.
    /// - Throws: ``CKError``: `serverRecordChanged`, with the record that stands in the store,
    ///   where others have changed it, and for a new record whose name is taken; `unknownItem`
    ///   where it was read, and is not there any more; `invalidArguments` for what no field, or
    ///   not this one, can hold; `zoneNotFound`; `referenceViolation` where its parent is not
    ///   there; `limitExceeded` for more than 1 MiB, or 50 MiB of an asset; `permissionFailure`,
    ///   also for whoever may only read the zone that another shares; `assetFileNotFound` and
    ///   `assetFileModified` for the file of an asset; of a ``CKShare`` also
    ///   `participantMayNeedVerification` and `tooManyParticipants`, above 100.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let (saved, _) = try await modifyRecords(saving: [record], deleting: [])
        guard let result = saved[record.recordID] else { throw CKError(.internalError) }
        return try result.get()
    }

    /// Deletes a record; one that is not there is deleted already.
    ///
    /// Records that refer to it with `deleteSelf` go with it. An owner that deletes a ``CKShare``
    /// ends it; a participant that does so leaves it.
    ///
    /// - Throws: ``CKError``: `referenceViolation` where others must not lose it; `zoneNotFound`;
    ///   `permissionFailure`.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let (_, deleted) = try await modifyRecords(saving: [], deleting: [recordID])
        guard let result = deleted[recordID] else { throw CKError(.internalError) }
        try result.get()
        return recordID
    }

    /// Saves and deletes records, of any zones.
    ///
    /// The changes of one zone are one batch; two zones have nothing to do with each other. Records
    /// that are saved are afterwards as they are in the store.
    ///
    /// - Parameters:
    ///   - recordsToSave: with those to be deleted at most 200; none is named twice.
    ///   - recordIDsToDelete: whatever others have made of them.
    ///   - savePolicy: what to do about records that others have changed.
    ///   - atomically: whether all changes of a zone are made, or none: then every other one says
    ///     `batchRequestFailed`. In the default zone each stands for itself.
    /// - Returns: for each, what became of it, or the ``CKError`` that ``save(_:)`` or
    ///   ``deleteRecord(withID:)`` would throw.
    /// - Throws: ``CKError``: `limitExceeded`; `invalidArguments` where a record is named twice.
    @discardableResult
    public func modifyRecords(
        saving recordsToSave: [CKRecord] = [], deleting recordIDsToDelete: [CKRecord.ID] = [],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        // What the records are when the caller asks, whatever becomes of them meanwhile.
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
