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
        var next = former ?? DatabaseToken(timeline: timeline)
        var changes = DatabaseChanges()
        let limit = max(min(limit ?? core.limits.answerCount, core.limits.answerCount), 1)
        noteDeletions(zones, &next, &changes, limit: limit)
        for zone in zones {
            guard changes.changed.count + changes.gone.count < limit else {
                changes.hasMore = true
                break
            }
            try note(zone, &next, &changes)
        }
        changes.token = try next.bytes(self)
        return changes
    }

    private func followedZones() throws(RecordError) -> [StoredZone] {
        if scope == .shared { return try sharedHeads() }
        return try core.backend.zones(in: database)
            .filter { $0.name != ZoneIdentifier.defaultName }
    }

    /// Tells of zones that the follower knows and that are not there any more.
    private func noteDeletions(
        _ zones: [StoredZone], _ token: inout DatabaseToken, _ changes: inout DatabaseChanges,
        limit: Int
    ) {
        let present = Set(zones.map(\.incarnation))
        let lost = token.zones.filter { !present.contains($0.key) }
            .sorted { $0.value.name.utf8.lexicographicallyPrecedes($1.value.name.utf8) }
        for (incarnation, seen) in lost {
            guard changes.gone.count < limit else {
                changes.hasMore = true
                return
            }
            token.zones[incarnation] = nil
            changes.gone.append((ZoneIdentifier(seen.name, owner: seen.owner), .deleted))
        }
    }

    private func note(
        _ zone: StoredZone, _ token: inout DatabaseToken, _ changes: inout DatabaseChanges
    ) throws(RecordError) {
        let seen = token.zones[zone.incarnation]
        guard (seen?.change ?? 0) <= zone.version else {
            throw RecordError(
                .zoneRolledBack, "follow zone \(zone.name): it is older than the token")
        }
        guard let owner = zone.database.owner else { return }
        if try isReset(zone) {
            // Told each time, until the zone is made again.
            changes.gone.append((zone.identifier, .encryptedDataReset))
        } else if seen?.change != zone.version {
            changes.changed.append(zone.identifier)
        }
        token.zones[zone.incarnation] = DatabaseToken.Seen(
            name: zone.name, owner: owner, change: zone.version)
    }

    private func isReset(_ zone: StoredZone) throws(RecordError) -> Bool {
        do throws(RecordError) { _ = try state(of: zone) } catch {
            guard error.code == .encryptedDataReset else { throw error }
            return true
        }
        return false
    }
}
