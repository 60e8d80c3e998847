/// Builds a page of a database's changes.
struct FollowedPage {
    private let view: DatabaseView
    private let limit: Int
    /// The follower's position after the page.
    private var token: DatabaseToken
    private var changes = DatabaseChanges()

    init(_ view: DatabaseView, after token: DatabaseToken, limit: Int) {
        (self.view, self.token, self.limit) = (view, token, limit)
    }

    private var isFull: Bool { changes.changed.count + changes.gone.count >= limit }

    /// The page of changes since the token.
    ///
    /// - Parameter zones: all zones that exist now.
    mutating func changes(of zones: [StoredZone]) throws(RecordError) -> DatabaseChanges {
        noteDeletions(zones)
        for zone in zones {
            guard !isFull else {
                changes.hasMore = true
                break
            }
            try note(zone)
        }
        changes.token = try token.bytes(view)
        return changes
    }

    /// Reports zones that the follower knows and that no longer exist.
    private mutating func noteDeletions(_ zones: [StoredZone]) {
        let present = Set(zones.map(\.incarnation))
        let lost = token.zones.filter { !present.contains($0.key) }
            .sorted { $0.value.name.utf8.lexicographicallyPrecedes($1.value.name.utf8) }
        for (incarnation, seen) in lost {
            guard !isFull else {
                changes.hasMore = true
                return
            }
            token.zones[incarnation] = nil
            changes.gone.append((ZoneIdentifier(seen.name, owner: seen.owner), .deleted))
        }
    }

    private mutating func note(_ zone: StoredZone) throws(RecordError) {
        let seen = token.zones[zone.incarnation]
        guard (seen?.change ?? 0) <= zone.version else {
            throw RecordError(
                .zoneRolledBack, "follow zone \(zone.name): it is older than the token")
        }
        guard let owner = zone.database.owner else { return }
        let state = try state(of: zone)
        if let state {
            let lost = Set(seen?.shares ?? []).subtracting(state.tokenShares)
            if let seen, !lost.isEmpty || seen.shares.isEmpty != (state.reach == nil) {
                // Report the zone as deleted, so that the follower starts over: it sees other
                // records than before.
                changes.gone.append((zone.identifier, .deleted))
            }
            if seen?.change != zone.version { changes.changed.append(zone.identifier) }
        } else {
            // Every page of changes reports this, until the zone is deleted.
            changes.gone.append((zone.identifier, .encryptedDataReset))
        }
        token.zones[zone.incarnation] = DatabaseToken.Seen(
            name: zone.name, owner: owner, change: zone.version, shares: state?.tokenShares ?? [])
    }

    /// The state of a zone; `nil` if its owner's keys were reset.
    private func state(of zone: StoredZone) throws(RecordError) -> ZoneState? {
        do throws(RecordError) { return try view.state(of: zone) } catch {
            guard error.code == .encryptedDataReset else { throw error }
            return nil
        }
    }
}
