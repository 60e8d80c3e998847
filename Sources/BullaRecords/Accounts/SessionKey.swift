package import BullaCipher
package import BullaMemory

/// The key of a session: its identifier, and a secret that only the session's client has.
///
/// The keyring stores a hash of the secret, and the account's service key sealed under the secret.
/// So the keyring's own data opens nothing.
package struct SessionKey: ~Copyable, Sendable {
    package static let secretByteCount = 32

    package let identifier: RandomIdentifier
    package let secret: SecretBytes

    package init(_ identifier: RandomIdentifier, secret: consuming SecretBytes) {
        self.identifier = identifier
        self.secret = secret
    }

    /// A key for a new session.
    ///
    /// - Throws: ``CipherError`` if the system provides no random bytes or no locked memory.
    package static func random() throws(CipherError) -> SessionKey {
        let secret = try SecretBytes.random(byteCount: secretByteCount)
        let identifier = try FileIdentifier.random().bytes.withView { RandomIdentifier($0) }
        return SessionKey(identifier, secret: secret)
    }

    /// The key of the session that follows this one.
    ///
    /// - Parameter renewal: the random bytes in the session's row, which only the keyring has. So
    ///   this key alone does not yield the next one.
    /// - Source: HKDF-SHA-256, RFC 5869.
    borrowing func successor(_ renewal: [UInt8]) throws(CipherError) -> SessionKey {
        let info = ByteTuple("bulla records next session v1").bytes + identifier.bytes
        let count = RandomIdentifier.byteCount + Self.secretByteCount
        let derived = try secret.withView { secret throws(CipherError) in
            try KeyDerivation.hkdf(key: secret, salt: renewal, info: info, byteCount: count)
        }
        var next = try SecretBytes.zeroed(byteCount: Self.secretByteCount)
        let identifier = derived.withView { derived in
            next.withMutableView {
                $0.copy(derived.slice(RandomIdentifier.byteCount, Self.secretByteCount), to: 0)
            }
            return RandomIdentifier(derived)
        }
        return SessionKey(identifier, secret: next)
    }

    /// The hash that the keyring stores, and compares with ``Digest/equals(_:)``.
    ///
    /// The secret is random and as long as the hash, so it needs no stretching.
    package borrowing func hash() throws(CipherError) -> Digest {
        var bytes = Self.hashed + identifier.bytes
        // These bytes contain the secret, so they are wiped at the end. Their memory is reserved
        // first, because an array that grows leaves a copy behind.
        bytes.reserveCapacity(bytes.count + Self.secretByteCount)
        defer { bytes.withMutableView { $0.wipe() } }
        secret.withView { bytes.append($0) }
        return try bytes.withView { view throws(CipherError) in try KeyDerivation.sha256(view) }
    }

    /// The beginning of the hashed bytes: it names the hash's purpose, so that no hash for another
    /// purpose is the same.
    private static let hashed = Array("bulla web token\u{0}".utf8)

    /// The cipher that seals the account's service key for this session.
    ///
    /// - Source: HKDF-SHA-256, RFC 5869; the secret is uniform, so no salt is needed (section 3.1).
    borrowing func wrapper(_ place: Place) throws(CipherError) -> VaultCipher {
        var tuple = ByteTuple("bulla records session v1", place)
        tuple.append(identifier)
        let info = tuple.bytes
        let key = try secret.withView { secret throws(CipherError) in
            try KeyDerivation.hkdf(
                key: secret, salt: [], info: info, byteCount: Self.secretByteCount)
        }
        return try VaultCipher(key: key)
    }
}
