/// Changes the keys of zones after an account's keys were replaced or deleted.
package struct ZoneKeyChanges: Sendable {
    private let core: RecordCore

    init(_ core: RecordCore) { self.core = core }

    /// Removes the keys from all zones that an account owns, and ends their shares.
    ///
    /// From then on, nobody can open the zones' records, not even with the account's former keys or
    /// those of participants.
    ///
    /// Call it after the account's keys were replaced. A change in progress finds at its commit
    /// that the epoch of the zone's keys has changed, and fails. The owner gets
    /// `encryptedDataReset` until the zone is deleted and created again, and participants get
    /// `zoneNotFound`.
    ///
    /// - Throws: `unavailable` if others keep changing the zones: call again to finish.
    package func forget(of account: AccountIdentifier) throws(RecordError) {
        let database = Database(core.place, owner: account)
        try finish(try core.heads(in: database)) { zone throws(RecordError) in
            try forgetKeys(of: zone)
        }
    }

    /// Removes an account from all zones and records that others share with it.
    ///
    /// Call it after the account's keys were replaced or deleted. The account may have kept the
    /// zones' keys, so the owners begin a new epoch with their next changes. The account's list of
    /// shared zones may lack a zone in which the account has accepted nothing; in such a zone, the
    /// owner's next change of the share notices that the account's keys were replaced.
    ///
    /// - Throws: as ``forget(of:)``.
    package func leaveShares(of account: AccountIdentifier) throws(RecordError) {
        try finish(try SharedZoneList.heads(of: account, core)) { zone throws(RecordError) in
            try edit(zone) { keyring in
                let targets = keyring.targets(of: account)
                for (target, _) in targets { keyring.remove(account, from: target) }
                return !targets.isEmpty
            }
        }
    }

    /// Changes all zones, even if one of them fails, and then throws the first error.
    private func finish(
        _ zones: [StoredZone], _ body: (StoredZone) throws(RecordError) -> Void
    ) throws(RecordError) {
        var failure: RecordError?
        for zone in zones {
            do throws(RecordError) { try body(zone) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func forgetKeys(of zone: StoredZone) throws(RecordError) {
        try edit(zone) { keyring in
            guard !keyring.isReset else { return false }
            (keyring.isReset, keyring.wraps, keyring.share) = (true, [:], nil)
            keyring.shares = [:]
            return true
        }
    }

    /// Applies `body` to a zone's keys, and tries again if others change them meanwhile.
    ///
    /// - Parameter body: returns whether it has changed anything.
    private func edit(
        _ zone: StoredZone, _ body: (inout ZoneKeyring) -> Bool
    ) throws(RecordError) {
        for _ in 0...core.limits.retryCount {
            guard var head = try core.head(named: zone.name, in: zone.database),
                head.incarnation == zone.incarnation
            else { return }
            let former = head
            var keyring = try ZoneKeyring(
                former.keys, head.identifier, head.incarnation, core.container)
            guard body(&keyring) else { return }
            // If the zone has no keys any more, it gets the next epoch, which makes changes in
            // progress fail. Otherwise its epoch is that of its newest key, whatever epoch the
            // backend says it has.
            head.epoch = keyring.newestEpoch ?? (former.epoch &+ 1)
            head.keys = try keyring.bytes(head.identifier, head.incarnation, core.container)
            let isDone = try core.backend.rekey(
                head, from: former.keys, formerEpoch: former.epoch,
                sealing: HeadSeal.sealing(head, insteadOf: former, by: core.container))
            if isDone { return }
        }
        throw RecordError(
            .unavailable, "change the keys of zone \(zone.name): others keep changing them",
            retryAfter: 1)
    }
}
