internal import BullaCipher
internal import BullaMemory

extension RecordCore {
    package static let changeMarkByteCount = 16

    /// Waits until any process has changed any database; it may return early.
    ///
    /// - Parameter commit: the result of the last call that did not return `nil`; 0 for the first
    ///   call.
    /// - Returns: the argument for the next call; `nil` if nothing has changed.
    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try backend.waitForCommit(after: commit, timeout: timeout)
    }

    /// A 16-byte digest of all zones that an account owns, or that others share with it: any change
    /// of a zone changes the digest.
    ///
    /// - Complexity: linear in the number of the account's zones.
    package func changeMark(of account: AccountIdentifier) throws(RecordError) -> [UInt8] {
        var tuple = ByteTuple("bulla records change mark v1", place)
        let own = try heads(in: Database(place, owner: account))
        for zone in own + (try listedHeads(of: account)) {
            tuple.append(zone.incarnation)
            tuple.append(zone.version)
            // The epoch changes at a reset, and when a participant is removed from a share.
            tuple.append(zone.epoch)
        }
        do throws(CipherError) {
            let digest = try tuple.bytes.withView { bytes throws(CipherError) in
                try KeyDerivation.sha256(bytes)
            }
            return Array(digest.bytes.prefix(Self.changeMarkByteCount))
        } catch { throw RecordError.cipher("mark the changes of an account", error) }
    }

    /// The heads of the zones in an account's list of shared zones; empty if that list is damaged.
    private func listedHeads(of account: AccountIdentifier) throws(RecordError) -> [StoredZone] {
        do throws(RecordError) { return try SharedZoneList.heads(of: account, self) } catch {
            guard error.code == .damaged else { throw error }
            return []
        }
    }
}
