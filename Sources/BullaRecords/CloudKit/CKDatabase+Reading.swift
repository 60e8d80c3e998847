extension CKDatabase {
    /// Reads a record.
    ///
    /// - Throws: ``CKError``: `unknownItem`; `zoneNotFound`, with
    ///   ``CKErrorUserDidResetEncryptedDataKey`` if the zone's keys were reset; `permissionFailure`
    ///   if the schema does not grant access.
    /// - Complexity: one lookup, and opening the record's plain fields.
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        let results = try await records(for: [recordID])
        guard let result = results[recordID] else { throw CKError(.internalError) }
        return try result.get()
    }

    /// Reads records of any zones.
    ///
    /// - Parameters:
    ///   - ids: at most 200.
    ///   - desiredKeys: the fields to read; `nil` for all.
    /// - Returns: for each identifier the record, or the ``CKError`` that ``record(for:)`` would
    ///   throw.
    /// - Throws: ``CKError``: `limitExceeded`.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        let desired = desiredKeys.map { Set($0) }
        return try await read { view throws(RecordError) in
            let limit = view.limits.answerCount
            let ids = Set(ids)
            guard ids.count <= limit else {
                throw RecordError(
                    .limitExceeded,
                    "read \(ids.count) records: one request may ask for \(limit)")
            }
            var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
            for (zone, ids) in Dictionary(grouping: ids, by: \.zoneID) {
                results.merge(view.records(zone, ids, desired)) { _, new in new }
            }
            return results
        }
    }
}

extension RecordDatabase {
    /// Reads records of one zone; an error that concerns the zone becomes the error of each record.
    fileprivate func records(
        _ zone: CKRecordZone.ID, _ ids: [CKRecord.ID], _ desired: Set<String>?
    ) -> [CKRecord.ID: Result<CKRecord, any Error>] {
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        do throws(RecordError) {
            let found = try zones(like: zone).records(
                ids.map(\.recordName), in: zone.zoneName, fields: desired)
            for (id, result) in zip(ids, found) {
                results[id] = result.given { given($0, id, desiredKeys: desired) }
            }
        } catch {
            for id in ids { results[id] = .failure(CKError(error)) }
        }
        return results
    }
}
