/// A share, as seen by its owner, by a user whom the owner has added, or by one who has the URL of
/// an invitation.
package struct ShareInvitation: Sendable {
    package let zone: ZoneIdentifier
    /// The record of the share.
    package let record: Record
    /// The name of the root of the shared records; `nil` if the whole zone is shared.
    package let root: String?
    /// The root record; `nil` if the caller did not ask for it.
    package let rootRecord: Record?
    /// The user's permission; `nil` for the owner.
    package let permission: SharePermission?
    package let acceptance: ShareAcceptance?

    package init(
        zone: ZoneIdentifier, record: Record, root: String?, rootRecord: Record? = nil,
        permission: SharePermission?, acceptance: ShareAcceptance?
    ) {
        (self.zone, self.record, self.root) = (zone, record, root)
        (self.rootRecord, self.permission) = (rootRecord, permission)
        self.acceptance = acceptance
    }
}

/// Finds and accepts the shares to which accounts were added or invited.
package struct ShareInvitations: Sendable {
    private let core: RecordCore

    init(_ core: RecordCore) { self.core = core }

    /// The token that identifies a share to those who can accept it.
    package func token(of sharing: ZoneSharing) throws(RecordError) -> String {
        try ShareToken(sharing).text(core.container)
    }

    /// A share, given its token.
    ///
    /// - Parameter hasRoot: whether the answer includes the root record.
    /// - Throws: `unknownItem` if there is no such share, and for users whom the share's owner has
    ///   not added, unless the token has an invitation that they can take; `notAuthenticated`,
    ///   `damaged`.
    package func invitation(
        _ token: String, _ session: Session, hasRoot: Bool = false
    ) throws(RecordError) -> ShareInvitation {
        let token = try ShareToken(token, core.container)
        let (_, zone) = try find(token, session)
        return try invitation(zone, token, hasRoot: hasRoot)
    }

    /// Accepts a share; accepting it again changes nothing.
    ///
    /// - Throws: the errors of ``invitation(_:_:hasRoot:)``; `invalidArguments` for the share's
    ///   owner; `damaged` if the owner has not signed the keys for this account; `unavailable` if
    ///   others keep changing the share.
    package func accept(
        _ token: String, _ session: Session, hasRoot: Bool = false
    ) throws(RecordError) -> ShareInvitation {
        let token = try ShareToken(token, core.container)
        for _ in 0...core.limits.retryCount {
            let (view, zone) = try find(token, session)
            if let offer = Offer(token, view, zone) {
                guard let taken = try claim(offer, token, view, zone) else { continue }
                return try invitation(taken, token, hasRoot: hasRoot)
            }
            guard !zone.isOwned, let account = session.account,
                let participant = zone.keyring?.participant(account, of: token.target),
                let sharing = zone.sharing(as: token.target)
            else {
                throw RecordError(.invalidArguments, "accept a share: it is the account's own")
            }
            _ = try zone.sealer(of: token.target)
            try list(zone, token.owner, account)
            guard participant.acceptance == .pending else {
                return try invitation(zone, token, hasRoot: hasRoot)
            }
            let touch = view.touch(zone, sharing.name)
            let isDone = try zone.changeShares { $0.accept(account, of: token.target) }
            if isDone { view.tell(touch) }
        }
        throw RecordError(.unavailable, "accept a share: others keep changing it", retryAfter: 1)
    }

    static let noShare = RecordError(
        .unknownItem, "use a share: the account has none with this token")

    /// The zone of a share.
    ///
    /// The share's owner finds it, and so do the users whom the owner has added. If `token` has an
    /// invitation, every user finds it.
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
            let zone = try ZoneState(shared: head, core, keys, pending: token.target)
            // The zone also opens for an account that takes part only in other shares in it, so
            // check that the account takes part in this one.
            let participant = zone.keyring?.participant(keys.account, of: token.target)
            if participant?.accountEpoch == keys.epoch { return (view, zone) }
        } catch { guard error.code == .zoneNotFound else { throw error } }
        return (view, try invited(head, token))
    }

    /// The zone as the bearer of an invitation's secret sees it.
    private func invited(
        _ head: StoredZone, _ token: ShareToken
    ) throws(RecordError) -> ZoneState {
        guard let invitation = token.invitation else { throw Self.noShare }
        let scope = SealScope(head.database, zone: head.incarnation, epoch: 0)
        let bearer = try OneTimeInvitation.bearer(
            invitation.identifier, invitation.secret, scope)
        do throws(RecordError) {
            return try ZoneState(invited: head, core, bearer, to: token.target)
        } catch { throw error.code == .zoneNotFound ? Self.noShare : error }
    }

    /// An invitation that an account can take, if nobody is faster.
    private struct Offer {
        let secret: InvitationSecret
        let invitation: OneTimeInvitation
        let sharing: ZoneSharing
        let keys: AccountKeys

        /// Returns `nil` if the token has no invitation that is still open, or if the account needs
        /// none, because it owns the zone or is a participant already.
        init?(_ token: ShareToken, _ view: DatabaseView, _ zone: ZoneState) {
            guard let secret = token.invitation, let keys = view.keys, !zone.isOwned,
                let keyring = zone.keyring,
                keyring.participant(keys.account, of: token.target)?.accountEpoch != keys.epoch,
                let invitation = keyring.invitation(secret.identifier, to: token.target),
                let sharing = zone.sharing(as: token.target)
            else { return nil }
            (self.secret, self.invitation) = (secret, invitation)
            (self.sharing, self.keys) = (sharing, keys)
        }
    }

    /// Takes an invitation for an account; only the first account to do so gets it.
    ///
    /// - Returns: the zone as the account sees it now; `nil` if others have changed the shares
    ///   meanwhile.
    private func claim(
        _ offer: Offer, _ token: ShareToken, _ view: DatabaseView, _ zone: ZoneState
    ) throws(RecordError) -> ZoneState? {
        let (secret, keys) = (offer.secret, offer.keys)
        guard offer.sharing.participants.count < core.limits.participantCount else {
            throw RecordError(.tooManyParticipants, "accept a share: it has no place left")
        }
        _ = try zone.sealer(of: token.target)
        try list(zone, token.owner, keys.account)
        let scope = SealScope(
            zone.head.database, zone: zone.head.incarnation, share: token.target.share, epoch: 0)
        var participant = ShareParticipant(
            accountEpoch: keys.epoch, offer.invitation.permission, .accepted)
        participant.claim = try ClaimedInvitation(
            secret.identifier, secret.secret, offer.invitation, scope, by: keys)
        let touch = view.touch(zone, offer.sharing.name)
        let isDone = try zone.changeShares {
            $0.claim(secret.identifier, of: token.target, for: keys.account, participant)
        }
        guard isDone else { return nil }
        view.tell(touch)
        return try view.zone(zone.head.name)
    }

    private func invitation(
        _ zone: ZoneState, _ token: ShareToken, hasRoot: Bool
    ) throws(RecordError) -> ShareInvitation {
        guard let sharing = zone.sharing(as: token.target) else { throw Self.noShare }
        let names = [sharing.name] + (hasRoot ? [sharing.root].compactMap { $0 } : [])
        let found = try core.backend.records(names, in: zone.life)
        guard let bytes = found.first??.bytes else { throw Self.noShare }
        let participant = zone.member(of: token.target)
        return ShareInvitation(
            zone: zone.identifier, record: try zone.record(bytes, sharing.name),
            root: sharing.root, rootRecord: try root(sharing, found.dropFirst().first ?? nil, zone),
            permission: participant?.permission, acceptance: participant?.acceptance)
    }

    private func root(
        _ sharing: ZoneSharing, _ stored: StoredRecord?, _ zone: ZoneState
    ) throws(RecordError) -> Record? {
        guard let root = sharing.root, let bytes = stored?.bytes else { return nil }
        return try zone.record(bytes, root)
    }

    private func list(
        _ zone: ZoneState, _ owner: AccountIdentifier, _ account: AccountIdentifier
    ) throws(RecordError) {
        let listed = SharedZoneList.SharedZone(zone.head, owner)
        try SharedZoneList.change(of: account, core) { zones throws(RecordError) in
            guard !zones.contains(listed) else { return }
            // A zone of this owner that is listed under the same name no longer exists.
            zones.removeAll { $0.owner == owner && $0.name == zone.head.name }
            zones.append(listed)
        }
    }
}
