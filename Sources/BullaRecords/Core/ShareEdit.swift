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
    }

    /// Shares the zone.
    ///
    /// - Parameter wanted: all participants; `nil` keeps the present ones.
    /// - Throws: `participantUnknown`, and `damaged` if the directory's entry of a new participant
    ///   is not authentic.
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

    /// Writes the new head.
    ///
    /// - Returns: whether the head was changed, by this call or another one.
    func commit() throws(RecordError) -> Bool {
        var (head, keyring) = (zone.head, keyring)
        if keyring.isEpochDue { try beginEpoch(&head, &keyring) }
        guard keyring != former else { return false }
        head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
        _ = try core.backend.rekey(
            head, from: zone.head.keys, formerEpoch: zone.head.epoch,
            sealing: HeadSeal.sealing(head, insteadOf: zone.head, by: core.container))
        return true
    }

    /// An account as a participant who has all keys of the zone.
    private mutating func participant(
        _ account: AccountIdentifier, _ permission: SharePermission, _ former: ShareParticipant?
    ) throws(RecordError) -> ShareParticipant {
        guard var former else {
            let entry = try core.directory.keys(of: account)
            return try complete(
                ShareParticipant(accountEpoch: entry.epoch, permission), account, entry)
        }
        former.permission = permission
        // A participant stays one, even if the backend has damaged the directory's entry.
        guard let entry = try entry(of: account), entry.epoch >= former.accountEpoch else {
            return former
        }
        if entry.epoch > former.accountEpoch {
            // The account's keys were reset. So the account is added again, and must accept again,
            // and the zone begins a new epoch, which the account's former keys do not open.
            keyring.isEpochDue = true
            former = ShareParticipant(accountEpoch: entry.epoch, permission)
        }
        return try complete(former, account, entry)
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

    /// Gives the zone a new key, for its owner and for all remaining participants.
    ///
    /// A participant whose keys were reset after the invitation gets no key: the owner has to add
    /// the account again.
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
