extension CKDatabase {
    /// A change of a database's zones.
    public enum DatabaseChange {
        /// A zone that was created, or whose records have changed.
        public struct Modification: Hashable, Sendable {
            /// The zone.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone that no longer exists, or can no longer be used.
        public struct Deletion: Hashable, Sendable {
            /// Why the zone is gone.
            public enum Reason: Int, CaseIterable, Sendable {
                /// It was deleted, or is no longer shared with the user as before.
                case deleted
                /// The user asked for all data of the zone to be removed. Bulla has no call for
                /// that, so this never occurs; it exists for programs that distinguish the reasons.
                case purged
                /// Its owner's keys were reset: delete the zone, create it again, and save the
                /// local data.
                case encryptedDataReset
            }

            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// Why the zone is gone.
            public let reason: Reason
        }
    }

    /// The zones that, since a token, have changed, were deleted, or lost their keys in a reset.
    ///
    /// For the changes within a zone, call
    /// ``recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``. A zone that was deleted
    /// and created again is reported as deleted and as changed. A zone whose keys were reset is
    /// reported each time, until it is deleted. The default zone has no feed, and is never
    /// reported.
    ///
    /// - Parameters:
    ///   - token: from the previous page; `nil` for all zones.
    ///   - resultsLimit: the maximum number of zones that a page may have; at most 200.
    /// - Returns: the zones; the token for the next page; and whether more changes are waiting.
    /// - Throws: ``CKError``: `changeTokenExpired` if the caller has to start over without a token;
    ///   `serverRejectedRequest` if a zone is in an older state than when the token was issued;
    ///   `invalidArguments` for a token of another database, or a `resultsLimit` below 1.
    /// - Complexity: O(n log n) for the n zones of the database.
    public func databaseChanges(
        since token: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try await read { view throws(RecordError) in
            if let resultsLimit, resultsLimit < 1 {
                throw RecordError(
                    .invalidArguments, "follow a database: a page has at least one zone")
            }
            let page = try view.databaseChanges(since: token?.bytes, limit: resultsLimit)
            let home = view.home
            let changed = page.changed.map {
                DatabaseChange.Modification(zoneID: $0.zoneID(home: home))
            }
            let gone = page.gone.map { zone, reason in
                DatabaseChange.Deletion(zoneID: zone.zoneID(home: home), reason: .init(reason))
            }
            return (changed, gone, CKServerChangeToken(page.token), page.hasMore)
        }
    }
}

extension CKDatabase.DatabaseChange.Deletion.Reason {
    fileprivate init(_ reason: DatabaseChanges.Reason) {
        switch reason {
        case .deleted: self = .deleted
        case .purged: self = .purged
        case .encryptedDataReset: self = .encryptedDataReset
        }
    }
}
