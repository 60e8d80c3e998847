/// Which zones of a database have changed since a token.
package struct DatabaseChanges: Sendable {
    /// Why a zone no longer exists, or can no longer be used.
    package enum Reason: String, CaseIterable, Sendable {
        case deleted
        /// The user asked for the removal of all the zone's data. This never occurs here, where
        /// deleting the zone is the only way to do that.
        case purged
        /// The owner's keys were reset: delete the zone, create it again, and upload the data.
        case encryptedDataReset
    }

    package var changed: [ZoneIdentifier] = []
    package var gone: [(zone: ZoneIdentifier, reason: Reason)] = []
    /// The token for the next page.
    package var token: [UInt8] = []
    package var hasMore = false

    package init() {}
}

extension DatabaseView {
    /// The zones that have changed, were deleted, or lost their keys in a reset.
    ///
    /// A zone that was deleted and created again is reported as deleted and as changed. Changes in
    /// the default zone are not reported.
    ///
    /// - Parameter token: from the previous page; `nil` for all zones.
    /// - Throws: `changeTokenExpired` if the database was restored, or the token has an earlier
    ///   version; `zoneRolledBack` if a zone is older than the token; `invalidArguments`.
    /// - Complexity: O(n log n) for the n zones of the database and of the token.
    package func databaseChanges(
        since token: [UInt8]? = nil, limit: Int? = nil
    ) throws(RecordError) -> DatabaseChanges {
        let timeline = try core.backend.timeline(of: Database(core.place, owner: home))
        let former = try token.map { bytes throws(RecordError) in
            try DatabaseToken(bytes, self)
        }
        if let former, former.timeline != timeline {
            throw RecordError(.changeTokenExpired, "follow a database: it was restored")
        }
        let zones = try followedZones()
        let limit = max(min(limit ?? core.limits.answerCount, core.limits.answerCount), 1)
        var page = FollowedPage(
            self, after: former ?? DatabaseToken(timeline: timeline), limit: limit)
        return try page.changes(of: zones)
    }

    private func followedZones() throws(RecordError) -> [StoredZone] {
        if scope == .shared { return try sharedHeads() }
        return try core.heads(in: database)
            .filter { $0.name != ZoneIdentifier.defaultName }
    }
}
