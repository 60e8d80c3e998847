/// A change of who takes part in a zone, and of the zone's keys, on its way into the zone's head.
///
/// It is made again from the head as it is then, until the head says what is wanted.
struct ShareEdit {
    private let zone: ZoneState
    private let core: RecordCore
    private let keys: AccountKeys
    private let former: ZoneKeyring
    private var keyring: ZoneKeyring

    /// `nil` where the zone has no keys of its owner's.
    init?(_ zone: ZoneState, _ view: DatabaseView) {
        guard let keyring = zone.keyring, let keys = view.keys else { return nil }
        (self.zone, core, self.keys) = (zone, view.core, keys)
        (former, self.keyring) = (keyring, keyring)
    }

    /// Shares the zone.
    ///
    /// - Parameter wanted: all who are to take part; `nil` for those who do.
    /// - Throws: `participantUnknown`, and `damaged` where the directory's entry of one who is new
    ///   is not the account's.
    mutating func share(
        with wanted: [AccountIdentifier: SharePermission]?
    ) throws(RecordError) {
        var share = keyring.share ?? ZoneShare()
        if let wanted {
            for account in share.participants.keys where wanted[account] == nil {
                share.participants[account] = nil
                keyring.isEpochDue = true
            }
            for (account, permission) in wanted {
                share.participants[account] = try participant(
                    account, permission, share.participants[account])
            }
        }
        keyring.share = share
    }

    /// Ends the zone's share.
    mutating func end() {
        if keyring.share?.participants.isEmpty == false { keyring.isEpochDue = true }
        keyring.share = nil
    }

    /// Makes the head so.
    ///
    /// - Returns: whether it was, or is meanwhile, another one.
    func commit() throws(RecordError) -> Bool {
        var (head, keyring) = (zone.head, keyring)
        if keyring.isEpochDue { try beginEpoch(&head, &keyring) }
        guard keyring != former else { return false }
        head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
        _ = try core.backend.rekey(
            head, from: zone.head.keys, formerEpoch: zone.head.epoch)
        return true
    }

    /// An account as it takes part, with all of the zone's keys.
    private mutating func participant(
        _ account: AccountIdentifier, _ permission: SharePermission, _ former: ShareParticipant?
    ) throws(RecordError) -> ShareParticipant {
        guard var former else {
            let entry = try core.directory.keys(of: account)
            return try complete(
                ShareParticipant(accountEpoch: entry.epoch, permission), account, entry)
        }
        former.permission = permission
        // Whoever takes part goes on doing so, whatever the backend has made of the entry.
        guard let entry = try entry(of: account), entry.epoch >= former.accountEpoch else {
            return former
        }
        if entry.epoch > former.accountEpoch {
            // Its keys were reset: it is added again, and accepts again, under a key that its
            // former ones do not open.
            keyring.isEpochDue = true
            former = ShareParticipant(accountEpoch: entry.epoch, permission)
        }
        return try complete(former, account, entry)
    }

    /// What the directory says of an account; `nil` where that is not to be believed.
    private func entry(
        of account: AccountIdentifier
    ) throws(RecordError) -> AccountPublicKeys? {
        do throws(RecordError) { return try core.directory.entry(of: account) } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Adds the keys of the epochs that a participant lacks.
    private func complete(
        _ participant: ShareParticipant, _ account: AccountIdentifier, _ entry: AccountPublicKeys
    ) throws(RecordError) -> ShareParticipant {
        var participant = participant
        for (epoch, wrap) in keyring.wraps where participant.wraps[epoch] == nil {
            let key = try keys.zoneKey(scope(epoch), wrap: wrap)
            participant.wraps[epoch] = try self.wrap(key, account, entry)
        }
        return participant
    }

    private func wrap(
        _ key: ZoneKey, _ account: AccountIdentifier, _ entry: AccountPublicKeys
    ) throws(RecordError) -> [UInt8] {
        try ParticipantWrap(key.scope, for: account, epoch: entry.epoch)
            .seal(key, for: entry, by: keys)
    }

    private func scope(_ epoch: UInt32) -> SealScope {
        SealScope(zone.head.database, zone: zone.head.incarnation, epoch: epoch)
    }

    /// Gives the zone another key, for its owner and for all who still take part.
    ///
    /// Who has other keys by now than those that it was named with gets none: the owner has to
    /// name it again.
    private func beginEpoch(
        _ head: inout StoredZone, _ keyring: inout ZoneKeyring
    ) throws(RecordError) {
        guard head.epoch < .max else {
            throw RecordError(.limitExceeded, "share zone \(head.name): it has no epoch left")
        }
        head.epoch += 1
        let key = try ZoneKey.random(scope(head.epoch))
        keyring.wraps[head.epoch] = try key.wrapped(by: keys.zones, for: keys.account)
        for (account, participant) in keyring.share?.participants ?? [:] {
            guard let entry = try entry(of: account), entry.epoch == participant.accountEpoch
            else { continue }
            keyring.share?.participants[account]?.wraps[head.epoch] =
                try wrap(key, account, entry)
        }
        keyring.isEpochDue = false
    }
}
