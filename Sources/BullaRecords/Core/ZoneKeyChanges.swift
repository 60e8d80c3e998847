/// Changes of zones' keys after those of an account were replaced or forgotten.
package struct ZoneKeyChanges: Sendable {
    private let core: RecordCore

    init(_ core: RecordCore) { self.core = core }

    /// Takes the keys out of all zones that an account owns, and ends their shares.
    ///
    /// From then on their records do not open, not even under the account's former keys, nor under
    /// those of participants.
    ///
    /// To be called after the account's keys were replaced. A change that is under way at this
    /// moment finds another epoch of the zone's keys at its commit, and fails; readers find
    /// `encryptedDataReset` until the zone is deleted and made again.
    ///
    /// - Throws: `unavailable` where others change the zones all the time: what is left is done by
    ///   calling again.
    package func forget(of account: AccountIdentifier) throws(RecordError) {
        let database = Database(core.place, owner: account)
        for zone in try core.backend.zones(in: database) { try forgetKeys(of: zone) }
    }

    /// Takes an account out of all zones that others share with it, whose keys it may have kept.
    ///
    /// To be called after the account's keys were replaced, or forgotten. The zones' owners begin
    /// other keys with their next change of them. A zone in which the account was only named is
    /// looked at when its owner changes the share.
    ///
    /// - Throws: as ``forget(of:)``.
    package func leaveShares(of account: AccountIdentifier) throws(RecordError) {
        for zone in try SharedZoneList.heads(of: account, core) {
            try edit(zone) { keyring in
                guard keyring.share?.participants[account] != nil else { return false }
                keyring.share?.participants[account] = nil
                keyring.isEpochDue = true
                return true
            }
        }
    }

    private func forgetKeys(of zone: StoredZone) throws(RecordError) {
        try edit(zone) { keyring in
            guard !keyring.isReset else { return false }
            (keyring.isReset, keyring.wraps, keyring.share) = (true, [:], nil)
            return true
        }
    }

    /// Makes a zone's keys what `body` makes of them, whoever changes them meanwhile.
    ///
    /// - Parameter body: says whether it has changed anything.
    private func edit(
        _ zone: StoredZone, _ body: (inout ZoneKeyring) -> Bool
    ) throws(RecordError) {
        for _ in 0...core.limits.retryCount {
            guard var head = try core.backend.zone(named: zone.name, in: zone.database),
                head.incarnation == zone.incarnation
            else { return }
            let (formerKeys, formerEpoch) = (head.keys, head.epoch)
            var keyring = try ZoneKeyring(
                formerKeys, head.identifier, head.incarnation, core.container)
            guard body(&keyring) else { return }
            // Another number makes changes fail that are under way. Where the keys have one it is
            // theirs, whatever the backend says.
            head.epoch = keyring.newestEpoch ?? (formerEpoch &+ 1)
            head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
            if try core.backend.rekey(head, from: formerKeys, formerEpoch: formerEpoch) { return }
        }
        throw RecordError(
            .unavailable, "change the keys of zone \(zone.name): others do", retryAfter: 1)
    }
}
