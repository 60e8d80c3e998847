extension CKDatabase {
    /// What has become of a zone's records.
    public enum RecordZoneChange {
        /// A record that was made or changed.
        public struct Modification: Sendable {
            /// The record as it is now.
            public let record: CKRecord
        }

        /// A record that was deleted.
        public struct Deletion: Hashable, Sendable {
            /// What it was called.
            public let recordID: CKRecord.ID
            /// Of which type it was.
            public let recordType: CKRecord.RecordType
        }
    }

    /// What has changed in a zone since a token, in the order in which it came about.
    ///
    /// Each record comes once, as it is now: who has taken all pages has what the zone has.
    ///
    /// - Parameters:
    ///   - zoneID: not the default zone, which has no feed.
    ///   - token: from the last page; `nil` for all that there is.
    ///   - desiredKeys: the fields that the records are to have; `nil` for all.
    ///   - resultsLimit: how many records a page has; at most 200.
    /// - Returns: the records, or why one of them does not open; the names of those that were
    ///   deleted; where to go on; and whether there is more at once.
    /// - Throws: ``CKError``: `changeTokenExpired` where the caller has to begin anew, without a
    ///   token; `zoneNotFound`, with ``CKErrorUserDidResetEncryptedDataKey`` where the zone's keys
    ///   were reset; `serverRejectedRequest` where the zone is older than the token, as after a
    ///   restore that nobody told; `invalidArguments` for a token of another database.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since token: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let desired = desiredKeys.map { Set($0) }
        return try await read { view throws(RecordError) in
            if let resultsLimit, resultsLimit < 1 {
                throw RecordError(
                    .invalidArguments, "follow a zone: a page has one record at least")
            }
            let page = try view.zones(like: zoneID).changes(
                in: zoneID.zoneName, since: token?.bytes, limit: resultsLimit)
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
