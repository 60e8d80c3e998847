internal import BullaCipher
package import BullaMemory
internal import Synchronization

/// The keys of one account in one container, all derived from the account's service key.
///
///     key         what for
///     zones       wraps the keys of the account's own zones
///     agreement   X25519: others wrap keys of their zones for the account
///     signature   Ed25519: the account vouches for wraps that it makes for others
///
/// A key reset gives the account another service key, and with it new keys of all kinds: none of
/// them opens what was sealed before.
package final class AccountKeys: Sendable {
    package static let serviceKeyByteCount = 32

    package let account: AccountIdentifier
    package let place: Place
    /// One more than the number of resets of the account's keys.
    package let epoch: UInt32
    let zones: VaultCipher
    private let pairs: Pairs
    /// The keys, of zones and of shares, that this object has already unwrapped.
    private let known = Mutex<[SealScope: ZoneKey]>([:])

    private final class Pairs: Sendable {
        let agreement: KeyPair
        let signature: KeyPair

        init(_ agreement: consuming KeyPair, _ signature: consuming KeyPair) {
            self.agreement = agreement
            self.signature = signature
        }
    }

    /// - Parameter serviceKey: 32 bytes; the caller keeps ownership.
    package init(
        _ account: AccountIdentifier, in place: Place, epoch: UInt32,
        serviceKey: borrowing SecretBytes
    ) throws(RecordError) {
        precondition(
            serviceKey.byteCount == Self.serviceKeyByteCount, "a service key has 32 bytes")
        (self.account, self.place, self.epoch) = (account, place, epoch)
        do throws(CipherError) {
            zones = try VaultCipher(key: try Self.key("zone wraps", account, place, serviceKey))
            let agreement = try Self.key("agreement", account, place, serviceKey)
            let signature = try Self.key("signature", account, place, serviceKey)
            pairs = Pairs(
                try KeyPair(.agreement, agreement), try KeyPair(.signature, signature))
        } catch { throw RecordError.cipher("derive the keys of an account", error) }
    }

    private static func key(
        _ purpose: String, _ account: AccountIdentifier, _ place: Place,
        _ serviceKey: borrowing SecretBytes
    ) throws(CipherError) -> SecretBytes {
        var tuple = ByteTuple("bulla records account \(purpose) v1", place)
        tuple.append(account)
        let info = tuple.bytes
        return try serviceKey.withView { key throws(CipherError) in
            try KeyDerivation.hkdf(key: key, salt: [], info: info, byteCount: KeyPair.keyByteCount)
        }
    }

    /// The public keys of the account.
    package var publicKeys: AccountPublicKeys {
        AccountPublicKeys(
            epoch: epoch, agreement: pairs.agreement.publicKey,
            signature: pairs.signature.publicKey)
    }

    /// The secret that the account shares with the holder of another key pair.
    func agree(with publicKey: [UInt8]) throws(CipherError) -> SecretBytes {
        try pairs.agreement.agree(with: publicKey)
    }

    /// The account's signature of a message.
    func sign(_ message: [UInt8]) throws(CipherError) -> [UInt8] {
        try message.withView { message throws(CipherError) in try pairs.signature.sign(message) }
    }

    /// The key of one of the account's own zones.
    func zoneKey(_ scope: SealScope, wrap: [UInt8]) throws(RecordError) -> ZoneKey {
        try known(scope) { () throws(RecordError) in
            try ZoneKey.unwrap(wrap, scope, by: zones, for: account)
        }
    }

    /// The key of a share in one of the account's own zones.
    ///
    /// - Parameter zone: finds the zone's key that wraps the share's key; both have the same epoch.
    func shareKey(
        _ scope: SealScope, wrap: [UInt8], zone: () throws(RecordError) -> ZoneKey
    ) throws(RecordError) -> ZoneKey {
        try known(scope) { () throws(RecordError) in
            try ZoneKey.unwrap(wrap, scope, by: try zone().records, for: account)
        }
    }

    /// The key of a zone, or of a share of a record, that another account shares with this one.
    ///
    /// - Parameter owner: finds the owner's public keys; called only if this object has not already
    ///   unwrapped the key.
    func sharedZoneKey(
        _ scope: SealScope, wrap: [UInt8], owner: () throws(RecordError) -> AccountPublicKeys
    ) throws(RecordError) -> ZoneKey {
        try known(scope) { () throws(RecordError) in
            let seal = ParticipantWrap(scope, for: account, epoch: epoch)
            return try seal.open(wrap, by: self, from: try owner())
        }
    }

    func known(
        _ scope: SealScope, _ open: () throws(RecordError) -> ZoneKey
    ) throws(RecordError) -> ZoneKey {
        if let key = known.withLock({ $0[scope] }) { return key }
        let key = try open()
        known.withLock { known in
            if known.count >= 1_000 { known.removeAll() }
            known[scope] = key
        }
        return key
    }

    /// Wipes all keys: after that, using them fails.
    package func end() {
        zones.end()
        pairs.agreement.wipe()
        pairs.signature.wipe()
        let keys = known.withLock { known in
            defer { known.removeAll() }
            return known
        }
        for key in keys.values { key.end() }
    }
}
