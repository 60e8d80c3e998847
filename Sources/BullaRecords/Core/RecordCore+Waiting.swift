internal import BullaCipher
internal import BullaMemory

extension RecordCore {
    package static let changeMarkByteCount = 16

    /// Waits until somebody has changed something, in whichever database and process; it may end
    /// before.
    ///
    /// - Parameter commit: what the last call returned; 0 at the beginning.
    /// - Returns: what the next call is to be given; `nil` where nothing changed meanwhile.
    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try backend.waitForCommit(after: commit, timeout: timeout)
    }

    /// What all zones are that an account owns, or that others share with it, in 16 bytes: others
    /// after any change of one.
    ///
    /// - Complexity: in the account's zones.
    package func changeMark(of account: AccountIdentifier) throws(RecordError) -> [UInt8] {
        var tuple = ByteTuple("bulla records change mark v1", place)
        let own = try backend.zones(in: Database(place, owner: account))
        for zone in own + (try listedHeads(of: account)) {
            tuple.append(zone.incarnation)
            tuple.append(zone.version)
            // Of another epoch after a reset, and after somebody was taken out of a share.
            tuple.append(zone.epoch)
        }
        do throws(CipherError) {
            let digest = try tuple.bytes.withView { bytes throws(CipherError) in
                try KeyDerivation.sha256(bytes)
            }
            return Array(digest.bytes.prefix(Self.changeMarkByteCount))
        } catch { throw RecordError.cipher("mark the changes of an account", error) }
    }

    /// The heads of zones that an account's list has; of a list that is damaged, none.
    private func listedHeads(of account: AccountIdentifier) throws(RecordError) -> [StoredZone] {
        do throws(RecordError) { return try SharedZoneList.heads(of: account, self) } catch {
            guard error.code == .damaged else { throw error }
            return []
        }
    }
}
