/// A change of a zone's participants and keys, in the zone's head.
///
/// If others change the head meanwhile, the caller repeats the change on the new head.
struct ShareEdit {
    private let zone: ZoneState
    private let core: RecordCore
    private let keys: AccountKeys
    private let former: ZoneKeyring
    private var keyring: ZoneKeyring

    /// Returns `nil` in the public database, whose zone has no keys of its own.
    init?(_ zone: ZoneState, _ view: DatabaseView) {
        guard let keyring = zone.keyring, let keys = view.keys else { return nil }
        (self.zone, core, self.keys) = (zone, view.core, keys)
        (former, self.keyring) = (keyring, keyring)
        if keyring.hasInvitations { self.keyring.forgetInvitations(expiredAt: core.clock()) }
    }

    /// Whether ``commit()`` makes new keys for the zone, or for a share.
    var isEpochDue: Bool {
        keyring.isEpochDue || keyring.shares.values.contains(where: \.isEpochDue)
    }

    /// Carries out, in the head, a requested change of a share record.
    ///
    /// Deleting the share of a single record changes nothing here: ``end(_:)`` ends such a share.
    mutating func carryOut(_ change: RecordChange) throws(RecordError) {
        let isOfZone = change.name == ZoneSharing.recordName
        switch change.kind {
        case .save(let save) where isOfZone:
            try share(with: save.participants)
            if let invitations = save.invitations { try invite(invitations, to: .zone) }
        case .save(let save):
            try share(change.name, of: save.root, with: save.participants)
            if let invitations = save.invitations, let share = keyring.share(named: change.name) {
                try invite(invitations, to: .record(share.identifier))
            }
        case .delete: if isOfZone { end() }
        }
    }

    /// Shares the zone.
    ///
    /// - Parameter wanted: all participants; `nil` keeps the present ones.
    /// - Throws: `participantUnknown` if the directory has no entry for a new participant;
    ///   `damaged` if that entry is not authentic; `unavailable` while records are still sealed
    ///   under keys of shares that have ended.
    mutating func share(
        with wanted: [AccountIdentifier: SharePermission]?
    ) throws(RecordError) {
        guard keyring.shares.isEmpty else {
            throw RecordError(
                .unavailable, "share zone \(zone.head.name): a share in it is still ending",
                retryAfter: 1)
        }
        var share = keyring.share ?? ZoneShare()
        if try change(&share, to: wanted, nil) { keyring.isEpochDue = true }
        keyring.share = share
    }

    /// Shares a record and those below it.
    ///
    /// - Parameters:
    ///   - name: the name of the share's record.
    ///   - root: the record to share; `nil` if its share already exists.
    /// - Throws: as ``share(with:)``; `limitExceeded` if the zone has too many shares.
    mutating func share(
        _ name: String, of root: String?, with wanted: [AccountIdentifier: SharePermission]?
    ) throws(RecordError) {
        let known = keyring.share(named: name)
        var (identifier, share) = (known?.identifier, known?.share)
        if identifier == nil, let root {
            guard keyring.shares.count < core.limits.shareCount else {
                throw RecordError(
                    .limitExceeded,
                    "share record \(root): the zone has \(core.limits.shareCount) shares already")
            }
            identifier = try RandomIdentifier.new()
            share = RecordShare(named: name, of: root)
            share?.isEpochDue = true
        }
        guard let identifier, var share else { return }
        if try change(&share.members, to: wanted, identifier) { share.isEpochDue = true }
        keyring.shares[identifier] = share
    }

    /// Ends the zone's share.
    mutating func end() {
        let share = keyring.share ?? ZoneShare()
        if !share.participants.isEmpty || !share.invitations.isEmpty { keyring.isEpochDue = true }
        keyring.share = nil
    }

    /// Ends a share of a record; the share's keys stay until no record is sealed under them.
    mutating func end(_ share: RandomIdentifier) {
        guard keyring.shares[share]?.isEnding == false else { return }
        keyring.shares[share]?.isEnding = true
        keyring.shares[share]?.isEpochDue = false
        keyring.shares[share]?.members = ZoneShare()
        // The new epoch makes saves in progress fail, so that they look up their records' share
        // again.
        keyring.isEpochDue = true
    }

    /// Forgets a share that has ended and under whose keys no record is sealed any more.
    mutating func forget(_ share: RandomIdentifier) { keyring.shares[share] = nil }

    /// Writes the new head, unless others have changed the head meanwhile.
    ///
    /// - Returns: `false` if there was nothing to change; otherwise `true`, even if this call has
    ///   not written the head.
    func commit() throws(RecordError) -> Bool {
        var (head, keyring) = (zone.head, keyring)
        if isEpochDue { try beginEpoch(&head, &keyring) }
        guard keyring != former else { return false }
        head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
        _ = try core.backend.rekey(
            head, from: zone.head.keys, formerEpoch: zone.head.epoch,
            sealing: HeadSeal.sealing(head, insteadOf: zone.head, by: core.container))
        return true
    }
}

/// Invitations, each of which one account may take.
extension ShareEdit {
    /// Changes the invitations to the zone, or to a share.
    private mutating func invite(
        _ wanted: [RandomIdentifier: RecordChange.InvitationWish], to target: ShareTarget
    ) throws(RecordError) {
        let share = target.share
        guard var members = members(of: share) else { return }
        for (identifier, former) in members.invitations
        where wanted[identifier]?.expiry != former.expiry {
            // Anyone with the invitation's URL could open the present key, so that key is due for
            // replacement.
            members.invitations[identifier] = nil
            keyring.setEpochDue(target)
        }
        let now = core.clock()
        for (identifier, wish) in wanted where wish.expiry > now {
            if members.invitations[identifier] != nil {
                members.invitations[identifier]?.permission = wish.permission
                continue
            }
            // An account that has taken an invitation is a participant whose claim has the
            // invitation's identifier.
            let isTaken = members.participants.values.contains {
                $0.claim?.identifier == identifier
            }
            guard !isTaken else { continue }
            var invitation = try OneTimeInvitation(
                identifier, wish.permission, expiry: wish.expiry, scope(share, 0), by: keys)
            let account = AccountIdentifier(identifier)
            for (epoch, wrap) in wraps(of: share) {
                let key = try key(share, epoch, wrap)
                invitation.wraps[epoch] = try self.wrap(key, account, invitation.bearerKeys)
            }
            members.invitations[identifier] = invitation
        }
        set(members, of: share)
    }

    private func members(of share: RandomIdentifier?) -> ZoneShare? {
        share.map { keyring.shares[$0]?.members } ?? keyring.share
    }

    private mutating func set(_ members: ZoneShare, of share: RandomIdentifier?) {
        if let share { keyring.shares[share]?.members = members } else { keyring.share = members }
    }

    private func wraps(of share: RandomIdentifier?) -> [UInt32: [UInt8]] {
        share.map { keyring.shares[$0]?.wraps ?? [:] } ?? keyring.wraps
    }
}

/// The keys of participants.
extension ShareEdit {
    /// Changes the participants of a share.
    ///
    /// - Returns: whether the share needs a new key, because a participant was removed, or the keys
    ///   of a participant's account were reset.
    private func change(
        _ share: inout ZoneShare, to wanted: [AccountIdentifier: SharePermission]?,
        _ identifier: RandomIdentifier?
    ) throws(RecordError) -> Bool {
        guard let wanted else { return false }
        var isEpochDue = false
        for account in share.participants.keys where wanted[account] == nil {
            share.participants[account] = nil
            isEpochDue = true
        }
        for (account, permission) in wanted {
            let former = share.participants[account]
            let next = try participant(account, permission, former, identifier)
            if let former, next.accountEpoch > former.accountEpoch { isEpochDue = true }
            share.participants[account] = next
        }
        return isEpochDue
    }

    /// The participant that an account becomes or remains, with all keys of the zone or of a share.
    private func participant(
        _ account: AccountIdentifier, _ permission: SharePermission, _ former: ShareParticipant?,
        _ share: RandomIdentifier?
    ) throws(RecordError) -> ShareParticipant {
        guard var former else {
            let entry = try core.directory.keys(of: account)
            return try complete(
                ShareParticipant(accountEpoch: entry.epoch, permission), account, entry, share)
        }
        former.permission = permission
        // An account remains a participant even if the backend has damaged the directory's entry.
        guard let entry = try entry(of: account), entry.epoch >= former.accountEpoch else {
            return former
        }
        if entry.epoch > former.accountEpoch {
            // The account's keys were reset. So the account is added again, and must accept again,
            // and a new epoch begins, whose key the account's former keys do not open.
            former = ShareParticipant(accountEpoch: entry.epoch, permission)
        }
        // The account's own keys take the place of the invitation with which the account joined.
        former.claim = nil
        return try complete(former, account, entry, share)
    }

    /// The directory's entry of an account; `nil` if there is none, or if it is not authentic.
    private func entry(
        of account: AccountIdentifier
    ) throws(RecordError) -> AccountPublicKeys? {
        do throws(RecordError) { return try core.directory.entry(of: account) } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Adds the key of every epoch for which the participant has none.
    private func complete(
        _ participant: ShareParticipant, _ account: AccountIdentifier, _ entry: AccountPublicKeys,
        _ share: RandomIdentifier?
    ) throws(RecordError) -> ShareParticipant {
        var participant = participant
        for (epoch, wrap) in wraps(of: share) where participant.wraps[epoch] == nil {
            let key = try key(share, epoch, wrap)
            participant.wraps[epoch] = try self.wrap(key, account, entry)
        }
        return participant
    }

    private func key(
        _ share: RandomIdentifier?, _ epoch: UInt32, _ wrap: [UInt8]
    ) throws(RecordError) -> ZoneKey {
        guard let share else { return try keys.zoneKey(scope(nil, epoch), wrap: wrap) }
        return try keys.shareKey(scope(share, epoch), wrap: wrap) { () throws(RecordError) in
            try keys.zoneKey(scope(nil, epoch), wrap: keyring.wraps[epoch] ?? [])
        }
    }

    private func wrap(
        _ key: ZoneKey, _ account: AccountIdentifier, _ entry: AccountPublicKeys
    ) throws(RecordError) -> [UInt8] {
        try ParticipantWrap(key.scope, for: account, epoch: entry.epoch)
            .seal(key, for: entry, by: keys)
    }

    private func scope(_ share: RandomIdentifier?, _ epoch: UInt32) -> SealScope {
        SealScope(zone.head.database, zone: zone.head.incarnation, share: share, epoch: epoch)
    }

    /// Gives a new key to the zone, and to each share that needs one, for the owner and for all
    /// remaining participants.
    ///
    /// This begins a new epoch of the zone even if only a share needs a key, so every change in
    /// progress fails at its commit.
    private func beginEpoch(
        _ head: inout StoredZone, _ keyring: inout ZoneKeyring
    ) throws(RecordError) {
        guard head.epoch < .max else {
            throw RecordError(.limitExceeded, "share zone \(head.name): it has no epoch left")
        }
        head.epoch += 1
        let key = try ZoneKey.random(scope(nil, head.epoch))
        keyring.wraps[head.epoch] = try key.wrapped(by: keys.zones, for: keys.account)
        if var share = keyring.share {
            try give(key, to: &share)
            keyring.share = share
        }
        for identifier in keyring.shares.keys where keyring.shares[identifier]?.isEpochDue == true {
            let own = try ZoneKey.random(scope(identifier, head.epoch))
            let wrap = try own.wrapped(by: key.records, for: keys.account)
            keyring.shares[identifier]?.wraps[head.epoch] = wrap
            keyring.shares[identifier]?.isEpochDue = false
            var members = keyring.shares[identifier]?.members ?? ZoneShare()
            try give(own, to: &members)
            keyring.shares[identifier]?.members = members
        }
        keyring.isEpochDue = false
    }

    /// Wraps a new key for participants and open invitations.
    ///
    /// A participant gets no key if the directory has no authentic entry of the account, or if the
    /// account's keys were reset after it joined: then the owner has to add the account again.
    private func give(_ key: ZoneKey, to share: inout ZoneShare) throws(RecordError) {
        for (account, participant) in share.participants {
            guard let entry = try entry(of: account), entry.epoch == participant.accountEpoch
            else { continue }
            share.participants[account]?.wraps[key.scope.epoch] = try wrap(key, account, entry)
        }
        for (identifier, invitation) in share.invitations {
            share.invitations[identifier]?.wraps[key.scope.epoch] = try wrap(
                key, AccountIdentifier(identifier), invitation.bearerKeys)
        }
    }
}
