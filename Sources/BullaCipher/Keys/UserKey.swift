internal import BullaMemory

/// The 64 bytes that a user gives: 32 for AES-256, then 32 for HMAC-SHA-256.
///
/// They seal nothing themselves. What is derived from the first half seals the keyring, what is
/// derived from the second half authenticates it.
package struct UserKey: ~Copyable, Sendable {
    package static let byteCount = KeyHalf.bothByteCount

    private let secret: SecretBytes

    /// A copy of `bytes`, which stay with their owner.
    ///
    /// - Throws: ``CipherError/Code/badArgument`` when there are not 64 of them.
    package init(copying bytes: RawSpan) throws(CipherError) {
        guard bytes.byteCount == Self.byteCount else { throw CipherError(.badArgument) }
        do throws(MemoryError) {
            secret = try SecretBytes(copying: bytes)
        } catch {
            throw CipherError(error)
        }
    }

    /// Lends the bytes, for whoever keeps keys.
    package func withBytes<R>(_ body: (RawSpan) throws -> R) rethrows -> R {
        try secret.withView { view in try view.withSpan(body) }
    }

    /// What ties a keyring to the whole key without telling anything of it.
    func commitment(to file: FileIdentifier) throws(CipherError) -> Digest {
        try secret.withView { key throws(CipherError) in
            try KeyDerivation.hkdf(
                key: key, salt: file.bytes, info: Array("bulla key commitment v1".utf8),
                byteCount: Digest.byteCount
            ).withView { Digest($0) }
        }
    }

    /// What seals the keyring.
    func sealingKey(for file: FileIdentifier) throws(CipherError) -> SecretBytes {
        try secret.derive(from: .first, salt: file, info: Array("bulla keyring seal v1".utf8))
    }

    /// What authenticates the keyring.
    func authenticationKey(for file: FileIdentifier) throws(CipherError) -> SecretBytes {
        try secret.derive(
            from: .second, salt: file, info: Array("bulla keyring authenticate v1".utf8))
    }
}
