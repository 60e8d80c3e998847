internal import BullaCipher
internal import BullaMemory

/// Seals the key of a zone or of a share of a record, in one epoch, for one participant.
///
///     bytes  field
///        32  public key of a pair made for this wrap alone (X25519, RFC 7748)
///        12  nonce, random
///        32  the zone's or the share's key, encrypted (AES-256-GCM, NIST SP 800-38D)
///        16  tag
///        64  signature of all the above by the zone's owner (Ed25519, RFC 8032)
///
/// The AES key is HKDF-SHA-256 (RFC 5869) of the shared secret of that key pair and the
/// participant's key, without salt, and with both public keys and the tuple below as info; it seals
/// only this message.
///
/// GCM's additional data is a tuple: label, container, environment, owner, incarnation of the zone,
/// share (empty for the zone's own key), epoch of the key, participant, epoch of the participant's
/// account. The signature covers the tuple and the 92 bytes that precede the signature. So a wrap
/// opens for only one account, in one epoch of that account. It is valid for no other zone, share,
/// epoch or owner, and only the owner can have made it. Neither a backend nor a holder of the
/// container's keys for records and heads can plant a key of its own.
package struct ParticipantWrap {
    private static let sealedByteCount =
        KeyPair.keyByteCount + ZoneKey.byteCount + RecordSeal.extraByteCount
    package static let byteCount = sealedByteCount + KeyPair.signatureByteCount

    private let scope: SealScope
    private let tuple: [UInt8]

    /// - Parameter epoch: the epoch of the participant's account.
    package init(_ scope: SealScope, for participant: AccountIdentifier, epoch: UInt32) {
        self.scope = scope
        var tuple = scope.tuple("bulla records participant wrap v1")
        tuple.append(participant)
        tuple.append(epoch)
        self.tuple = tuple.bytes
    }

    /// Seals the key of the zone, or of the share, for a participant.
    package func seal(
        _ key: ZoneKey, for participant: AccountPublicKeys, by owner: AccountKeys
    ) throws(RecordError) -> [UInt8] {
        precondition(key.scope == scope, "a wrap is of one zone and epoch")
        do throws(CipherError) {
            let pair = try KeyPair.random(.agreement)
            defer { pair.wipe() }
            let agreed = try pair.agree(with: participant.agreement)
            let wrapper = try wrapper(agreed, pair.publicKey, participant.agreement)
            let sealed = pair.publicKey + (try sealed(key, wrapper))
            return sealed + (try owner.sign(message(sealed)))
        } catch { throw RecordError.cipher("wrap a key of a zone for a participant", error) }
    }

    /// Opens the key of the zone, or of the share.
    ///
    /// - Parameter owner: the directory's entry of the zone's owner.
    /// - Throws: `damaged` if the owner has not signed the wrap for this zone or share, epoch and
    ///   participant.
    package func open(
        _ wrap: [UInt8], by participant: AccountKeys, from owner: AccountPublicKeys
    ) throws(RecordError) -> ZoneKey {
        guard wrap.count == Self.byteCount else {
            throw RecordError(.damaged, "open a shared zone's key: it has \(wrap.count) bytes")
        }
        let sealed = Array(wrap.prefix(Self.sealedByteCount))
        let signature = Array(wrap.dropFirst(Self.sealedByteCount))
        let publicKey = Array(sealed.prefix(KeyPair.keyByteCount))
        do throws(CipherError) {
            try message(sealed).withView { message throws(CipherError) in
                try Signature.verify(signature, of: message, by: owner.signature)
            }
            let agreed = try participant.agree(with: publicKey)
            let wrapper = try wrapper(agreed, publicKey, participant.publicKeys.agreement)
            return try opened(Array(sealed.dropFirst(KeyPair.keyByteCount)), wrapper)
        } catch { throw RecordError.cipher("open a shared zone's key", error) }
    }

    /// The message that the owner signs.
    private func message(_ sealed: [UInt8]) -> [UInt8] {
        var message = ByteTuple("bulla records participant wrap signature v1")
        message.append(tuple)
        message.append(sealed)
        return message.bytes
    }

    private func wrapper(
        _ agreed: borrowing SecretBytes, _ pair: [UInt8], _ participant: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        var info = ByteTuple("bulla records participant wrap key v1")
        info.append(pair)
        info.append(participant)
        info.append(tuple)
        let bytes = info.bytes
        return try agreed.withView { agreed throws(CipherError) in
            try KeyDerivation.hkdf(key: agreed, salt: [], info: bytes, byteCount: 32)
        }
    }

    private func sealed(
        _ key: ZoneKey, _ wrapper: borrowing SecretBytes
    ) throws(CipherError) -> [UInt8] {
        try key.withSecret { secret throws(CipherError) in
            try secret.withView { secret throws(CipherError) in
                try tuple.withView { tuple throws(CipherError) in
                    try [UInt8](
                        byteCount: ZoneKey.byteCount + RecordSeal.extraByteCount
                    ) { sealed throws(CipherError) in
                        try RecordSeal.seal(secret, key: wrapper, context: tuple, into: sealed)
                    }
                }
            }
        }
    }

    private func opened(
        _ sealed: [UInt8], _ wrapper: borrowing SecretBytes
    ) throws(CipherError) -> ZoneKey {
        var secret = try SecretBytes.zeroed(byteCount: ZoneKey.byteCount)
        try secret.withMutableView { secret throws(CipherError) in
            try sealed.withView { sealed throws(CipherError) in
                try tuple.withView { tuple throws(CipherError) in
                    try RecordSeal.open(sealed, key: wrapper, context: tuple, into: secret)
                }
            }
        }
        return try ZoneKey(scope, secret)
    }
}
