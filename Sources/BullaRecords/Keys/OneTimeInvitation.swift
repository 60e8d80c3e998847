internal import BullaCipher
internal import BullaMemory

/// An invitation, whose secret is in a URL, for the first account that presents that secret.
///
///     bytes  field
///         1  permission
///         8  when it expires, in milliseconds since 1970
///        32  public key for agreement (X25519)
///        72  secret, wrapped for the owner, who can remake the URL from it
///         4  how many keys
///         n  each: epoch 4, ``ParticipantWrap`` 156
///
/// The secret serves as the service key of an account that nobody has. Key pairs are derived from
/// the secret, and the owner wraps the share's keys for these pairs. The account that takes the
/// invitation keeps the secret, wrapped under the account's own keys, until the owner wraps the
/// share's keys for the account itself.
package struct OneTimeInvitation: Hashable, Sendable {
    package var permission: SharePermission
    package let expiry: Int64
    package let agreement: [UInt8]
    package let secret: [UInt8]
    package var wraps: [UInt32: [UInt8]] = [:]

    private init(
        _ permission: SharePermission, expiry: Int64, agreement: [UInt8], secret: [UInt8]
    ) {
        (self.permission, self.expiry) = (permission, expiry)
        (self.agreement, self.secret) = (agreement, secret)
    }

    /// A new invitation to a share in one of the owner's zones.
    init(
        _ identifier: RandomIdentifier, _ permission: SharePermission, expiry: Int64,
        _ scope: SealScope, by owner: AccountKeys
    ) throws(RecordError) {
        let secret: SecretBytes
        do throws(CipherError) {
            secret = try SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount)
        } catch { throw RecordError.cipher("make an invitation", error) }
        let bearer = try Self.bearer(identifier, secret, scope)
        defer { bearer.end() }
        self.init(
            permission, expiry: expiry, agreement: bearer.publicKeys.agreement,
            secret: try owner.wrap(secret, of: identifier, scope))
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(permission.rawValue)
        bytes.append(number: expiry)
        bytes += agreement + secret
        bytes.append(wraps: wraps)
    }

    init?(_ cursor: inout ByteCursor) {
        guard let permission = cursor.next(UInt8.self).flatMap({ SharePermission(rawValue: $0) }),
            let expiry = cursor.next(Int64.self), let agreement = cursor.nextView(32),
            let secret = cursor.nextView(AccountKeys.wrappedSecretByteCount),
            let wraps = cursor.nextWraps(ParticipantWrap.byteCount)
        else { return nil }
        self.init(
            permission, expiry: expiry, agreement: agreement.copied(), secret: secret.copied())
        self.wraps = wraps
    }

    /// The public keys for which the owner wraps the share's keys.
    var bearerKeys: AccountPublicKeys {
        AccountPublicKeys(epoch: Self.bearerEpoch, agreement: agreement, signature: [])
    }

    /// The epoch of the keys derived from an invitation's secret; no account is in this epoch.
    static let bearerEpoch: UInt32 = 0

    /// The keys that are derived from an invitation's secret.
    static func bearer(
        _ identifier: RandomIdentifier, _ secret: borrowing SecretBytes, _ scope: SealScope
    ) throws(RecordError) -> AccountKeys {
        try AccountKeys(
            AccountIdentifier(identifier), in: scope.database.place, epoch: bearerEpoch,
            serviceKey: secret)
    }
}

/// An invitation that an account has taken.
///
///     bytes  field
///        16  identifier of the invitation
///        72  its secret, wrapped for the account
///         4  how many keys
///         n  each: epoch 4, ``ParticipantWrap`` 156, for the invitation's key pair
package struct ClaimedInvitation: Hashable, Sendable {
    package let identifier: RandomIdentifier
    package let secret: [UInt8]
    package let wraps: [UInt32: [UInt8]]

    /// - Parameter secret: the secret of the invitation.
    init(
        _ identifier: RandomIdentifier, _ secret: borrowing SecretBytes,
        _ invitation: OneTimeInvitation, _ scope: SealScope, by account: AccountKeys
    ) throws(RecordError) {
        self.identifier = identifier
        self.secret = try account.wrap(secret, of: identifier, scope)
        wraps = invitation.wraps
    }

    func append(to bytes: inout [UInt8]) {
        bytes += identifier.bytes + secret
        bytes.append(wraps: wraps)
    }

    init?(_ cursor: inout ByteCursor) {
        guard let identifier = cursor.nextIdentifier(),
            let secret = cursor.nextView(AccountKeys.wrappedSecretByteCount),
            let wraps = cursor.nextWraps(ParticipantWrap.byteCount)
        else { return nil }
        (self.identifier, self.secret, self.wraps) = (identifier, secret.copied(), wraps)
    }
}

/// The secret of an invitation, wrapped for the share's owner, and for the account that took the
/// invitation.
extension AccountKeys {
    static let wrappedSecretByteCount = serviceKeyByteCount + VaultCipher.extraByteCount

    func wrap(
        _ secret: borrowing SecretBytes, of invitation: RandomIdentifier, _ scope: SealScope
    ) throws(RecordError) -> [UInt8] {
        let context = context(of: invitation, scope)
        do throws(CipherError) {
            return try secret.withView { secret throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try [UInt8](byteCount: Self.wrappedSecretByteCount) {
                        wrap throws(CipherError) in
                        try zones.seal(secret, context: context, into: wrap)
                    }
                }
            }
        } catch { throw RecordError.cipher("wrap the secret of an invitation", error) }
    }

    /// - Throws: `damaged` if `wrap` was made for another account, invitation or share.
    func unwrap(
        _ wrap: [UInt8], of invitation: RandomIdentifier, _ scope: SealScope
    ) throws(RecordError) -> SecretBytes {
        let context = context(of: invitation, scope)
        do throws(CipherError) {
            var secret = try SecretBytes.zeroed(byteCount: Self.serviceKeyByteCount)
            try secret.withMutableView { secret throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try wrap.withView { wrap throws(CipherError) in
                        try zones.open(wrap, context: context, into: secret)
                    }
                }
            }
            return secret
        } catch { throw RecordError.cipher("unwrap the secret of an invitation", error) }
    }

    private func context(of invitation: RandomIdentifier, _ scope: SealScope) -> [UInt8] {
        // Epoch 0 makes the context the same in all epochs of the share.
        var tuple = scope.with(share: scope.share, epoch: 0)
            .tuple("bulla records invitation secret v1")
        tuple.append(invitation)
        tuple.append(account)
        tuple.append(epoch)
        return tuple.bytes
    }

    /// The key of a share, opened with the secret of an invitation that the account has taken.
    func claimedKey(
        _ scope: SealScope, _ claim: ClaimedInvitation, wrap: [UInt8],
        owner: () throws(RecordError) -> AccountPublicKeys
    ) throws(RecordError) -> ZoneKey {
        try known(scope) { () throws(RecordError) in
            let secret = try unwrap(claim.secret, of: claim.identifier, scope)
            let bearer = try OneTimeInvitation.bearer(claim.identifier, secret, scope)
            defer { bearer.end() }
            return try ParticipantWrap(scope, for: bearer.account, epoch: bearer.epoch)
                .open(wrap, by: bearer, from: try owner())
        }
    }
}

extension ByteCursor {
    /// Reads how many wraps follow, and then the wraps, by epoch.
    mutating func nextWraps(_ byteCount: Int) -> [UInt32: [UInt8]]? {
        guard let count = next(UInt32.self) else { return nil }
        var wraps: [UInt32: [UInt8]] = [:]
        for _ in 0..<count {
            guard let epoch = next(UInt32.self), let wrap = nextView(byteCount) else { return nil }
            wraps[epoch] = wrap.copied()
        }
        return wraps
    }
}

extension [UInt8] {
    mutating func append(wraps: [UInt32: [UInt8]]) {
        append(number: UInt32(wraps.count))
        for (epoch, wrap) in wraps.sorted(by: { $0.key < $1.key }) {
            append(number: epoch)
            self += wrap
        }
    }
}
