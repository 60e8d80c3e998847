package import BullaCipher
internal import BullaMemory

/// The key of a zone, or of a share of a record, in one epoch: it wraps the keys of records.
package final class ZoneKey: Sendable {
    package static let byteCount = 32
    package static let wrappedByteCount = byteCount + VaultCipher.extraByteCount

    package let scope: SealScope
    private let secret: ZoneSecret
    /// The cipher that wraps the keys of records and, if this is a zone's key, those of the zone's
    /// shares.
    let records: VaultCipher

    private final class ZoneSecret: Sendable {
        let bytes: SecretBytes
        init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
    }

    init(_ scope: SealScope, _ secret: consuming SecretBytes) throws(CipherError) {
        self.scope = scope
        records = try VaultCipher(key: secret)
        self.secret = ZoneSecret(secret)
    }

    /// Lends the key, whose bytes a forked child process does not inherit.
    func withSecret<R>(
        _ body: (borrowing SecretBytes) throws(CipherError) -> R
    ) throws(CipherError) -> R {
        try body(secret.bytes)
    }

    /// A new key, for a new zone, or for the next epoch of a zone or of a share.
    package static func random(_ scope: SealScope) throws(RecordError) -> ZoneKey {
        do throws(CipherError) {
            var secret = try SecretBytes.zeroed(byteCount: byteCount)
            try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
            return try ZoneKey(scope, secret)
        } catch { throw RecordError.cipher("make a key of a zone", error) }
    }

    /// The key, wrapped for its zone's owner; ``ParticipantWrap`` wraps it for others.
    ///
    /// - Parameters:
    ///   - wrapper: a key that only the recipient has.
    ///   - recipient: the account that will unwrap it.
    package func wrapped(
        by wrapper: VaultCipher, for recipient: AccountIdentifier
    ) throws(RecordError) -> [UInt8] {
        let context = Self.context(scope, recipient)
        do throws(CipherError) {
            return try secret.bytes.withView { secret throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try [UInt8](byteCount: Self.wrappedByteCount) { wrap throws(CipherError) in
                        try wrapper.seal(secret, context: context, into: wrap)
                    }
                }
            }
        } catch { throw RecordError.cipher("wrap a key of a zone", error) }
    }

    /// Opens a key that ``wrapped(by:for:)`` sealed.
    ///
    /// - Throws: ``RecordError/Code/damaged`` if it was sealed for another zone, epoch or
    ///   recipient, or by another key.
    package static func unwrap(
        _ wrap: [UInt8], _ scope: SealScope, by wrapper: VaultCipher,
        for recipient: AccountIdentifier
    ) throws(RecordError) -> ZoneKey {
        guard wrap.count == wrappedByteCount else {
            throw RecordError(.damaged, "unwrap a key of a zone: it has \(wrap.count) bytes")
        }
        let context = context(scope, recipient)
        do throws(CipherError) {
            var secret = try SecretBytes.zeroed(byteCount: byteCount)
            try secret.withMutableView { secret throws(CipherError) in
                try context.withView { context throws(CipherError) in
                    try wrap.withView { wrap throws(CipherError) in
                        try wrapper.open(wrap, context: context, into: secret)
                    }
                }
            }
            return try ZoneKey(scope, secret)
        } catch { throw RecordError.cipher("unwrap a key of a zone", error) }
    }

    private static func context(_ scope: SealScope, _ recipient: AccountIdentifier) -> [UInt8] {
        var tuple = scope.tuple("bulla records zone key v1")
        tuple.append(recipient)
        return tuple.bytes
    }

    /// Wipes the key.
    package func end() {
        secret.bytes.wipe()
        records.end()
    }
}
