package import BullaCipher
package import BullaMemory

/// What opens a session: its identifier, and a secret that only the session's client keeps.
///
/// The keyring keeps the secret's hash, and the account's service key sealed under it: so what is
/// stored opens nothing.
package struct SessionKey: ~Copyable, Sendable {
    package static let secretByteCount = 32

    package let identifier: RandomIdentifier
    package let secret: SecretBytes

    package init(_ identifier: RandomIdentifier, secret: consuming SecretBytes) {
        self.identifier = identifier
        self.secret = secret
    }

    /// The key of a new session.
    ///
    /// - Throws: ``CipherError`` when the system gives no random bytes or no locked memory.
    package static func random() throws(CipherError) -> SessionKey {
        let secret = try SecretBytes.random(byteCount: secretByteCount)
        let identifier = try FileIdentifier.random().bytes.withView { RandomIdentifier($0) }
        return SessionKey(identifier, secret: secret)
    }

    /// The key of the session that follows this one, the same each time.
    ///
    /// So a client that goes on showing a token of yesterday begins one session more, and no more.
    /// Nothing is lost by that: until it ends, this key opens what the next one opens.
    package borrowing func successor() throws(CipherError) -> SessionKey {
        let info = ByteTuple("bulla records next session v1").bytes + identifier.bytes
        let count = RandomIdentifier.byteCount + Self.secretByteCount
        let derived = try secret.withView { secret throws(CipherError) in
            try KeyDerivation.hkdf(key: secret, salt: [], info: info, byteCount: count)
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

    /// What the keyring keeps, and compares with ``Digest/equals(_:)``.
    ///
    /// The secret is random and as long as the hash, so it needs no stretching.
    package borrowing func hash() throws(CipherError) -> Digest {
        var bytes = Self.hashed + identifier.bytes
        // What holds the secret is wiped, and no larger copy of it is left behind by growing.
        bytes.reserveCapacity(bytes.count + Self.secretByteCount)
        defer { for place in bytes.indices { bytes[place] = 0 } }
        secret.withView { bytes.append($0) }
        return try bytes.withView { view throws(CipherError) in try KeyDerivation.sha256(view) }
    }

    /// What its hash is for, so that it is no hash for anything else.
    private static let hashed = Array("bulla web token\u{0}".utf8)

    /// What seals the account's service key for this session.
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
