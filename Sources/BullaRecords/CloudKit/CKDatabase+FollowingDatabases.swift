extension CKDatabase {
    /// What has become of a database's zones.
    public enum DatabaseChange {
        /// A zone that was made, or whose records have changed.
        public struct Modification: Hashable, Sendable {
            /// The zone.
            public let zoneID: CKRecordZone.ID
        }

        /// A zone that is not there any more, or not to be used as it is.
        public struct Deletion: Hashable, Sendable {
            /// What has become of a zone.
            public enum Reason: Int, CaseIterable, Sendable {
                /// It was deleted.
                case deleted
                /// The user had all of its data removed: it never comes, since nothing here does
                /// so, and is there for programs that tell the reasons apart.
                case purged
                /// Its owner's keys were reset: delete it, make it again, and save what is at hand.
                case encryptedDataReset
            }

            /// The zone.
            public let zoneID: CKRecordZone.ID
            /// What has become of it.
            public let reason: Reason
        }
    }

    /// The zones that have changed, that were deleted, or whose keys were reset, since a token.
    ///
    /// What has changed in a zone is told by
    /// ``recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``. A zone that was deleted
    /// and made again comes as deleted and as changed; one whose keys were reset comes each time,
    /// until it is deleted. The default zone has no feed, and never comes.
    ///
    /// - Parameters:
    ///   - token: from the last page; `nil` for all zones.
    ///   - resultsLimit: how many zones a page has; at most 200.
    /// - Returns: the zones; where to go on; and whether there is more at once.
    /// - Throws: ``CKError``: `changeTokenExpired` where the caller has to begin anew, without a
    ///   token; `serverRejectedRequest` where a zone is older than the token; `invalidArguments`
    ///   for a token of another database.
    /// - Complexity: in the zones of the database.
    public func databaseChanges(
        since token: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        try await read { view throws(RecordError) in
            if let resultsLimit, resultsLimit < 1 {
                throw RecordError(
                    .invalidArguments, "follow a database: a page has one zone at least")
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
