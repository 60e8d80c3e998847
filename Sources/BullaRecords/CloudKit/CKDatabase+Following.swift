extension CKDatabase {
    /// A change of a zone's records.
    public enum RecordZoneChange {
        /// A record that was created or changed.
        public struct Modification: Sendable {
            /// The record as it is now.
            public let record: CKRecord
        }

        /// A record that was deleted.
        public struct Deletion: Hashable, Sendable {
            /// The record's identifier.
            public let recordID: CKRecord.ID
            /// The record's type.
            public let recordType: CKRecord.RecordType
        }
    }

    /// The changes of a zone since a token, page by page, in the order of the changes.
    ///
    /// Each changed record comes once, as it is now, so after the last page the caller has what the
    /// zone has.
    ///
    /// - Parameters:
    ///   - zoneID: any zone except the default zone, which has no feed.
    ///   - token: from the previous page; `nil` for everything.
    ///   - desiredKeys: the fields to read; `nil` for all.
    ///   - resultsLimit: the maximum number of records that a page may have; at most 200.
    /// - Returns: the records, each with an error if it cannot be opened; the identifiers of
    ///   deleted records; the token for the next page; and whether more changes are waiting.
    /// - Throws: ``CKError``: `changeTokenExpired` if the caller has to start over without a token;
    ///   `zoneNotFound`, with ``CKErrorUserDidResetEncryptedDataKey`` if the zone's keys were
    ///   reset; `serverRejectedRequest` if the zone is older than the token, as after a restore
    ///   that was not announced; `invalidArguments` for a token of another database, or a
    ///   `resultsLimit` below 1.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since token: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try await zoneChanges(
            zoneID, since: token, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
    }

    /// The changes of a zone, as ``recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``
    /// returns them.
    ///
    /// - Parameter hasRecords: whether to report deletions even without a token, because the caller
    ///   may have records of the zone.
    func zoneChanges(
        _ zoneID: CKRecordZone.ID, since token: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
        hasRecords: Bool = false
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let desired = desiredKeys.map { Set($0) }
        return try await read { view throws(RecordError) in
            if let resultsLimit, resultsLimit < 1 {
                throw RecordError(
                    .invalidArguments, "follow a zone: a page has at least one record")
            }
            let page = try view.zones(like: zoneID).changes(
                in: zoneID.zoneName, since: token?.bytes, limit: resultsLimit, fields: desired,
                hasRecords: hasRecords)
            var changed: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
            for (name, record) in page.changed {
                let id = CKRecord.ID(recordName: name, zoneID: zoneID)
                changed[id] = record.given {
                    RecordZoneChange.Modification(record: view.given($0, id, desiredKeys: desired))
                }
            }
            let deleted = page.deleted.map { name, type in
                RecordZoneChange.Deletion(
                    recordID: CKRecord.ID(recordName: name, zoneID: zoneID), recordType: type)
            }
            return (changed, deleted, CKServerChangeToken(page.token), page.hasMore)
        }
    }
}
