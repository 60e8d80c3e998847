extension RecordCore {
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
    package func forgetZoneKeys(of account: AccountIdentifier) throws(RecordError) {
        let database = Database(place, owner: account)
        for zone in try backend.zones(in: database) { try forgetKeys(of: zone) }
    }

    private func forgetKeys(of zone: StoredZone) throws(RecordError) {
        for _ in 0...limits.retryCount {
            guard var head = try backend.zone(named: zone.name, in: zone.database),
                head.incarnation == zone.incarnation
            else { return }
            let (formerKeys, formerEpoch) = (head.keys, head.epoch)
            var keyring = try ZoneKeyring(
                formerKeys, head.identifier, head.incarnation, container)
            guard !keyring.isReset else { return }
            (keyring.isReset, keyring.wraps, keyring.share) = (true, [:], nil)
            head.epoch += 1
            head.keys = try keyring.bytes(head.identifier, head.incarnation, container)
            if try backend.rekey(head, from: formerKeys, formerEpoch: formerEpoch) { return }
        }
        throw RecordError(
            .unavailable, "reset the keys of zone \(zone.name): others change them", retryAfter: 1)
    }
}
