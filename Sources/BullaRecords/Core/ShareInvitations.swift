/// A share, as seen by its owner, or by a user whom the owner has added.
package struct ShareInvitation: Sendable {
    package let zone: ZoneIdentifier
    /// The record of the share.
    package let record: Record
    /// The user's permission; `nil` for the owner.
    package let permission: SharePermission?
    package let acceptance: ShareAcceptance?
}

/// Finds and accepts the shares to which accounts were added.
package struct ShareInvitations: Sendable {
    private let core: RecordCore

    init(_ core: RecordCore) { self.core = core }

    /// The token that identifies a share to those who can accept it.
    package func token(of sharing: ZoneSharing) throws(RecordError) -> String {
        try ShareToken(sharing).text(core.container)
    }

    /// A share, given its token.
    ///
    /// - Throws: `unknownItem` if there is none, and for users whom its owner has not added;
    ///   `notAuthenticated`, `damaged`.
    package func invitation(
        _ token: String, _ session: Session
    ) throws(RecordError) -> ShareInvitation {
        let (view, zone) = try find(ShareToken(token, core.container), session)
        return try invitation(view, zone)
    }

    /// Accepts a share; accepting it again changes nothing.
    ///
    /// - Throws: the errors of ``invitation(_:_:)``; `invalidArguments` for its owner; `damaged` if
    ///   the owner has not signed the zone's keys for this account; `unavailable` if others keep
    ///   changing the share.
    package func accept(
        _ token: String, _ session: Session
    ) throws(RecordError) -> ShareInvitation {
        let token = try ShareToken(token, core.container)
        for _ in 0...core.limits.retryCount {
            let (view, zone) = try find(token, session)
            guard let participant = zone.participant, let account = session.account else {
                throw RecordError(.invalidArguments, "accept a share: it is the account's own")
            }
            _ = try zone.sealer()
            try list(zone, token.owner, account)
            guard participant.acceptance == .pending else { return try invitation(view, zone) }
            let touch = view.touch(zone)
            let isDone = try zone.changeShare { keyring in
                keyring.share?.participants[account]?.acceptance = .accepted
            }
            if isDone { view.tell(touch) }
        }
        throw RecordError(.unavailable, "accept a share: others keep changing it", retryAfter: 1)
    }

    static let noShare = RecordError(
        .unknownItem, "use a share: the account has none with this token")

    /// The zone of a share, for its owner or a user whom the owner has added.
    private func find(
        _ token: ShareToken, _ session: Session
    ) throws(RecordError) -> (DatabaseView, ZoneState) {
        let own = try core.database(.private, session)
        let isOwner = token.owner == session.account
        let view = isOwner ? own : try core.database(.shared, session).zones(of: token.owner)
        let heads = try core.heads(in: view.database)
        guard let head = heads.first(where: { $0.incarnation == token.zone }), let keys = view.keys
        else { throw Self.noShare }
        guard !isOwner else { return (view, try view.state(of: head)) }
        do throws(RecordError) {
            return (view, try ZoneState(shared: head, core, keys, mayBePending: true))
        } catch { throw error.code == .zoneNotFound ? Self.noShare : error }
    }

    private func invitation(
        _ view: DatabaseView, _ zone: ZoneState
    ) throws(RecordError) -> ShareInvitation {
        let stored = try core.backend.records([ZoneSharing.recordName], in: zone.life)
        guard zone.sharing != nil, let bytes = stored.first??.bytes else { throw Self.noShare }
        return ShareInvitation(
            zone: zone.identifier, record: try zone.record(bytes, ZoneSharing.recordName),
            permission: zone.participant?.permission, acceptance: zone.participant?.acceptance)
    }

    private func list(
        _ zone: ZoneState, _ owner: AccountIdentifier, _ account: AccountIdentifier
    ) throws(RecordError) {
        let listed = SharedZoneList.SharedZone(zone.head, owner)
        try SharedZoneList.change(of: account, core) { zones throws(RecordError) in
            guard !zones.contains(listed) else { return }
            // The former zone with this name is gone.
            zones.removeAll { $0.owner == owner && $0.name == zone.head.name }
            zones.append(listed)
        }
    }
}
