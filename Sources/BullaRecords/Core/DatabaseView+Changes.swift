/// What has changed in a zone since a token.
package struct ZoneChanges: Sendable {
    /// Records that were made or changed, each as it is now; or why one does not open.
    package var changed: [(name: String, record: Result<Record, RecordError>)] = []
    package var deleted: [(name: String, type: String)] = []
    /// Where to go on.
    package var token: [UInt8] = []
    /// Whether there is more at once.
    package var hasMore = false
}

extension DatabaseView {
    /// What has changed in a zone, in the order in which it came about.
    ///
    /// Each record comes once, as it is now: a follower that has taken all pages has what the zone
    /// has. A page may split a batch.
    ///
    /// - Parameter token: from the last page; `nil` for all that there is.
    /// - Throws: `changeTokenExpired` where the follower has to begin anew, since the zone was made
    ///   again, the store restored, or deletions after the token forgotten; `zoneRolledBack` where
    ///   the zone is older than the token; `zoneNotFound`, `encryptedDataReset`,
    ///   `invalidArguments`.
    package func changes(
        in name: String, since token: [UInt8]? = nil, limit: Int? = nil
    ) throws(RecordError) -> ZoneChanges {
        guard name != ZoneIdentifier.defaultName else {
            throw RecordError(.invalidArguments, "follow zone \(name): it has no feed")
        }
        let zone = try self.zone(name)
        let timeline = try core.backend.timeline()
        let former = try token.map { bytes throws(RecordError) in
            try ChangeToken(bytes, database, core.container)
        }
        try check(former, zone, timeline)
        let start = former?.change ?? 0
        let limit = min(limit ?? core.limits.answerCount, core.limits.answerCount)
        guard let page = try core.backend.changes(in: zone.life, after: start, limit: limit) else {
            throw Self.notFound(name)
        }
        if let former, former.change > page.headVersion { throw rolledBack(name) }
        if let former, max(former.change, former.forgotten) < page.forgottenVersion {
            throw expired(name)
        }
        return try changes(page, zone, timeline, after: former)
    }

    private func check(
        _ token: ChangeToken?, _ zone: ZoneState, _ timeline: RandomIdentifier
    ) throws(RecordError) {
        guard let token else { return }
        guard token.zone == zone.head.incarnation, token.timeline == timeline else {
            throw expired(zone.head.name)
        }
    }

    private func expired(_ name: String) -> RecordError {
        RecordError(.changeTokenExpired, "follow zone \(name): the token is too old; begin anew")
    }

    private func rolledBack(_ name: String) -> RecordError {
        RecordError(.zoneRolledBack, "follow zone \(name): it is older than the token")
    }

    private func changes(
        _ page: ChangePage, _ zone: ZoneState, _ timeline: RandomIdentifier,
        after former: ChangeToken?
    ) throws(RecordError) -> ZoneChanges {
        var changes = ZoneChanges()
        for (name, stored) in page.changes {
            switch stored.content {
            case .record(let bytes):
                let record = Result { () throws(RecordError) in try zone.record(bytes, name) }
                changes.changed.append((name, record))
            case .deleted(let type, _):
                // A follower that begins knows of nothing that could be deleted.
                if former != nil { changes.deleted.append((name, type)) }
            }
        }
        let last = page.hasMore ? page.changes.last?.record.version : nil
        let token = ChangeToken(
            zone: zone.head.incarnation, timeline: timeline, change: last ?? page.headVersion,
            forgotten: former?.forgotten ?? page.forgottenVersion)
        changes.token = try token.bytes(database, core.container)
        changes.hasMore = page.hasMore
        return changes
    }
}

extension RecordCore {
    /// Forgets, in all zones of the place, which records were deleted long ago.
    ///
    /// A follower whose token is older has to begin anew.
    ///
    /// - Parameter time: in milliseconds since 1970; by default as long ago as
    ///   ``RecordLimits/deletionDays`` says.
    package func forgetDeletions(before time: Int64? = nil) throws(RecordError) {
        let time = time ?? clock() - limits.deletionMemory
        for zone in try backend.zones(of: place) {
            try backend.forgetDeletions(before: time, in: ZoneLife(zone))
        }
    }
}
