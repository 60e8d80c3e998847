internal import BullaMemory

/// The 64 bytes that open a slot of the keyring: 32 for AES-256, then 32 for HMAC-SHA-256.
///
/// A user gives them, a password is stretched to them, or a key service unwraps them. They seal
/// nothing themselves: a key derived from the first half seals a slot, and one derived from the
/// second half authenticates it.
package final class UserKey: Sendable {
    package static let byteCount = KeyHalf.bothByteCount

    private let secret: SecretBytes

    /// Copies `bytes`; the original stays with its owner.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` unless there are 64 of them.
    package init(copying bytes: RawSpan) throws(CipherError) {
        guard bytes.byteCount == Self.byteCount else { throw CipherError(.badArgument) }
        do throws(MemoryError) {
            secret = try SecretBytes(copying: bytes)
        } catch {
            throw CipherError(error)
        }
    }

    /// Takes the key that a password was stretched to.
    init(_ secret: consuming SecretBytes) {
        precondition(secret.byteCount == Self.byteCount, "a user's key has two halves")
        self.secret = secret
    }

    /// Lends the bytes to code that stores keys; lends none in a child after a fork.
    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try secret.withView { view in try view.withSpan(body) }
    }

    /// Ties a slot to the whole key, and reveals nothing about the key.
    func commitment(_ salt: [UInt8]) throws(CipherError) -> Digest {
        try secret.checkIntact()
        return try secret.withView { key throws(CipherError) in
            try KeyDerivation.hkdf(
                key: key, salt: salt, info: Array("bulla slot commitment v1".utf8),
                byteCount: Digest.byteCount
            ).withView { Digest($0) }
        }
    }

    /// The key that seals a slot.
    func sealingKey(_ salt: [UInt8]) throws(CipherError) -> SecretBytes {
        try secret.derive(from: .first, salt: salt, info: Array("bulla slot seal v1".utf8))
    }

    /// The key that authenticates a slot.
    func authenticationKey(_ salt: [UInt8]) throws(CipherError) -> SecretBytes {
        try secret.derive(
            from: .second, salt: salt, info: Array("bulla slot authenticate v1".utf8))
    }
}
