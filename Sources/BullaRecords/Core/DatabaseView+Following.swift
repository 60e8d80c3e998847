/// What has changed in a database since a token: which zones are worth following.
package struct DatabaseChanges: Sendable {
    /// Why a zone is not there any more, or not to be used as it is.
    package enum Reason: String, CaseIterable, Sendable {
        case deleted
        /// The user had all of the zone's data removed: never found here, where nobody can ask for
        /// that but by deleting the zone.
        case purged
        /// The owner's keys were reset: delete the zone, make it again, and upload.
        case encryptedDataReset
    }

    package var changed: [ZoneIdentifier] = []
    package var gone: [(zone: ZoneIdentifier, reason: Reason)] = []
    /// Where to go on.
    package var token: [UInt8] = []
    package var hasMore = false
}

extension DatabaseView {
    /// The zones that have changed, that were deleted, or whose keys were reset.
    ///
    /// A zone that was deleted and made again comes as deleted and as changed. The default zone is
    /// not followed.
    ///
    /// - Parameter token: from the last page; `nil` for all zones.
    /// - Throws: `changeTokenExpired` where the store was restored; `zoneRolledBack` where a zone
    ///   is older than the token; `invalidArguments`.
    /// - Complexity: in the zones of the database.
    package func databaseChanges(
        since token: [UInt8]? = nil, limit: Int? = nil
    ) throws(RecordError) -> DatabaseChanges {
        let timeline = try core.backend.timeline()
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
        return try core.backend.zones(in: database)
            .filter { $0.name != ZoneIdentifier.defaultName }
    }
}
