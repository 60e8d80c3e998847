/// A share as somebody finds it whom its owner has named.
package struct ShareInvitation: Sendable {
    package let zone: ZoneIdentifier
    /// The share itself.
    package let record: Record
    /// `nil` for its owner.
    package let permission: SharePermission?
    package let acceptance: ShareAcceptance?
}

/// How accounts find the shares that they are named in, and take part in them.
package struct ShareInvitations: Sendable {
    private let core: RecordCore

    init(_ core: RecordCore) { self.core = core }

    /// What names a share to those who are to accept it.
    package func token(of sharing: ZoneSharing) throws(RecordError) -> String {
        try ShareToken(sharing).text(core.container)
    }

    /// A share, by its token.
    ///
    /// - Throws: `unknownItem` where there is none, and for whom its owner has not named;
    ///   `notAuthenticated`, `damaged`.
    package func invitation(
        _ token: String, _ session: Session
    ) throws(RecordError) -> ShareInvitation {
        let (view, zone) = try find(ShareToken(token, core.container), session)
        return try invitation(view, zone)
    }

    /// Takes part in a share from here on; whoever does so already goes on.
    ///
    /// - Throws: what ``invitation(_:_:)`` throws; `invalidArguments` for its owner; `damaged`
    ///   where the owner has not signed the zone's keys for this account.
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
        throw RecordError(.unavailable, "accept a share: others change it", retryAfter: 1)
    }

    static let noShare = RecordError(
        .unknownItem, "use a share: there is none of this token for the account")

    /// The zone of a share, for its owner or somebody whom the owner has named.
    private func find(
        _ token: ShareToken, _ session: Session
    ) throws(RecordError) -> (DatabaseView, ZoneState) {
        let own = try core.database(.private, session)
        let isOwner = token.owner == session.account
        let view = isOwner ? own : try core.database(.shared, session).zones(of: token.owner)
        let heads = try core.backend.zones(in: view.database)
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
            // What the name meant before is gone.
            zones.removeAll { $0.owner == owner && $0.name == zone.head.name }
            zones.append(listed)
        }
    }
}
