/// The changes of a zone since a token.
package struct ZoneChanges: Sendable {
    /// Records that were created or changed, each as it is now, or the error of opening it.
    package var changed: [(name: String, record: Result<Record, RecordError>)] = []
    package var deleted: [(name: String, type: String)] = []
    /// The token for the next page.
    package var token: [UInt8] = []
    /// Whether the zone already has more changes.
    package var hasMore = false

    package init() {}
}

extension DatabaseView {
    /// The changes of a zone, in the order in which they were made.
    ///
    /// Each changed record comes once, as it is now: after the last page, a follower has what the
    /// zone has. A page can split a batch. A participant in shares of records gets only the records
    /// of these shares. For each record that has left them, the participant gets a deletion,
    /// possibly more than once before the last page. Such a participant's pages can be empty.
    ///
    /// - Parameters:
    ///   - token: from the previous page; `nil` for everything.
    ///   - hasRecords: whether a follower without a token can have records of the zone, because it
    ///     has saved some. If so, it is told of deletions, too.
    /// - Throws: `changeTokenExpired` if the follower has to start over, because the zone was
    ///   created again, the store was restored, deletions after the token were forgotten, or the
    ///   follower takes part in other shares than before; `zoneRolledBack` if the zone is older
    ///   than the token; `zoneNotFound`, `encryptedDataReset`, `invalidArguments`.
    package func changes(
        in name: String, since token: [UInt8]? = nil, limit: Int? = nil, hasRecords: Bool = false
    ) throws(RecordError) -> ZoneChanges {
        guard name != ZoneIdentifier.defaultName else {
            throw RecordError(.invalidArguments, "follow zone \(name): it has no feed")
        }
        let zone = try self.zone(name)
        let timeline = try core.backend.timeline(of: database)
        let former = try token.map { bytes throws(RecordError) in
            try ChangeToken(bytes, database, core.container)
        }
        try check(former, zone, timeline)
        let start = former?.change ?? 0
        let limit = min(limit ?? core.limits.answerCount, core.limits.answerCount)
        guard let page = try core.backend.changes(in: zone.life, after: start, limit: limit) else {
            throw Self.notFound(name)
        }
        try check(page, zone)
        if let former, former.change > page.headVersion { throw rolledBack(name) }
        if let former, max(former.change, former.forgotten) < page.forgottenVersion {
            throw expired(name)
        }
        return try changes(page, zone, timeline, after: former, hasRecords: hasRecords)
    }

    private func check(
        _ token: ChangeToken?, _ zone: ZoneState, _ timeline: RandomIdentifier
    ) throws(RecordError) {
        guard let token else { return }
        guard token.zone == zone.head.incarnation, token.timeline == timeline,
            token.shares == zone.tokenShares
        else {
            throw expired(zone.head.name)
        }
    }

    /// Checks a page's claim about the zone's version against the zone's sealed head.
    ///
    /// Nothing authenticates the page, but the token that the caller gets will vouch for the
    /// claimed version.
    private func check(_ page: ChangePage, _ zone: ZoneState) throws(RecordError) {
        let last = page.changes.last?.record.version ?? 0
        var newest = zone.head.version
        if page.headVersion > newest {
            // Others may have changed the zone since its head was read, so read the head again.
            let now = try self.zone(zone.head.name).head
            guard now.incarnation == zone.head.incarnation else { throw Self.notFound(now.name) }
            newest = now.version
        }
        guard last <= page.headVersion, page.headVersion <= newest,
            page.headVersion >= zone.head.version
        else {
            throw RecordError(
                .damaged, "follow zone \(zone.head.name): its changes do not match its head")
        }
    }

    private func expired(_ name: String) -> RecordError {
        RecordError(.changeTokenExpired, "follow zone \(name): the token is too old; start over")
    }

    private func rolledBack(_ name: String) -> RecordError {
        RecordError(.zoneRolledBack, "follow zone \(name): it is older than the token")
    }

    private func changes(
        _ page: ChangePage, _ zone: ZoneState, _ timeline: RandomIdentifier,
        after former: ChangeToken?, hasRecords: Bool
    ) throws(RecordError) -> ZoneChanges {
        var changes = ZoneChanges()
        let isFollower = former != nil || hasRecords
        // A follower that begins without records has none that could have left its shares.
        let complete = former?.complete ?? (hasRecords ? 0 : page.headVersion)
        for (name, stored) in page.changes {
            switch zone.told(of: stored, since: complete) {
            case .record(let bytes):
                let record = Result { () throws(RecordError) in try zone.record(bytes, name) }
                changes.changed.append((name, record))
            case .deletion(let type): if isFollower { changes.deleted.append((name, type)) }
            case .nothing: continue
            }
        }
        let last = page.hasMore ? page.changes.last?.record.version : nil
        let token = ChangeToken(
            zone: zone.head.incarnation, timeline: timeline, change: last ?? page.headVersion,
            forgotten: former?.forgotten ?? page.forgottenVersion,
            complete: last == nil ? page.headVersion : complete, shares: zone.tokenShares)
        changes.token = try token.bytes(database, core.container)
        changes.hasMore = page.hasMore
        return changes
    }
}

extension ZoneState {
    /// What a follower is told of a change.
    fileprivate enum Told {
        case record([UInt8])
        case deletion(type: String)
        case nothing
    }

    /// What the reader is told of a change, judging by the unsealed part of the record.
    ///
    /// - Parameter complete: ``ChangeToken/complete`` of the reader.
    fileprivate func told(of stored: StoredRecord, since complete: UInt64) -> Told {
        switch stored.content {
        case .record(let bytes):
            guard reach != nil else { return .record(bytes) }
            if let sealed = SealedRecord(bytes), sees(sealed) { return .record(bytes) }
        case .deleted(let text, _):
            guard reach != nil else { return .deletion(type: DeletionTrace(text).type) }
        }
        let former = stored.trace
        let lost = former.traces.first { reach?[$0.share] != nil && $0.change > complete }
        // `former.type` may be wrong: after the record left the share, a record of another type may
        // have taken its name. In that case, `lost` has the type of the record that left.
        return lost.map { .deletion(type: $0.type ?? former.type) } ?? .nothing
    }
}

extension RecordCore {
    /// Forgets, in all zones of the place, which records were deleted long ago.
    ///
    /// A follower whose token is older than one of these deletions has to start over. If the zones
    /// are spread over several sites, and one site fails, the others forget their deletions before
    /// the error is thrown.
    ///
    /// - Parameter time: in milliseconds since 1970; by default determined by
    ///   ``RecordLimits/deletionDays``.
    package func forgetDeletions(before time: Int64? = nil) throws(RecordError) {
        let time = time ?? clock() - limits.deletionMemory
        try backend.forgetDeletions(before: time, of: place)
    }
}
