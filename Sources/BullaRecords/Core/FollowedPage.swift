/// Builds a page of a database's changes.
struct FollowedPage {
    private let view: DatabaseView
    private let limit: Int
    /// The follower's position after the page.
    private var token: DatabaseToken
    private var changes = DatabaseChanges()
    /// The timeline of each owner's database, since a restore may affect only some of the
    /// databases.
    private var timelines: [Database: RandomIdentifier] = [:]

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
        guard let owner = zone.database.owner else { return }
        let timeline = try timeline(of: zone)
        let seen = token.zones[zone.incarnation]
        let state = try state(of: zone)
        let former = seen?.timeline == timeline ? seen?.newestChange(for: state) : nil
        let change = state == nil ? DatabaseToken.Seen.resetChange : zone.version
        guard (former ?? 0) <= change else {
            throw RecordError(
                .zoneRolledBack, "follow zone \(zone.name): it is older than the token")
        }
        if let state, let seen, seen.cannotContinue(with: state) {
            changes.gone.append((zone.identifier, .deleted))
        }
        if former != change {
            if state == nil {
                changes.gone.append((zone.identifier, .encryptedDataReset))
            } else {
                changes.changed.append(zone.identifier)
            }
        }
        token.zones[zone.incarnation] = DatabaseToken.Seen(
            name: zone.name, owner: owner, change: change, timeline: timeline,
            shares: state?.tokenShares ?? [])
    }

    private mutating func timeline(of zone: StoredZone) throws(RecordError) -> RandomIdentifier {
        if let known = timelines[zone.database] { return known }
        let timeline = try view.core.backend.timeline(of: zone.database)
        timelines[zone.database] = timeline
        return timeline
    }

    /// The state of a zone; `nil` if its owner's keys were reset.
    private func state(of zone: StoredZone) throws(RecordError) -> ZoneState? {
        do throws(RecordError) { return try view.state(of: zone) } catch {
            guard error.code == .encryptedDataReset else { throw error }
            return nil
        }
    }
}

extension DatabaseToken.Seen {
    /// The newest change that was seen; `nil` if the zone was reported as reset, but the present
    /// session can read it.
    ///
    /// In that case, the token may come from a session whose keys have another epoch.
    fileprivate func newestChange(for state: ZoneState?) -> UInt64? {
        state != nil && change == Self.resetChange ? nil : change
    }

    /// Whether the follower must start over, because the part of the zone that it sees has changed
    /// other than by gaining shares.
    fileprivate func cannotContinue(with state: ZoneState) -> Bool {
        let lost = Set(shares).subtracting(state.tokenShares)
        return !lost.isEmpty || shares.isEmpty != (state.reach == nil)
    }
}
