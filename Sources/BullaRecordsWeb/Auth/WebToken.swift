package import BullaCipher
package import BullaMemory
package import BullaRecords
internal import BullaText

/// What a client shows to be a user: the name of a session, and a secret.
///
///     bytes  field
///        16  identifier of the session
///        32  secret
///
/// As text these are 64 letters that need no escape in an address. The server keeps the secret's
/// hash, and the user's service key wrapped under the secret: so what it has stored opens nothing.
package struct WebToken: ~Copyable, Sendable {
    package static let secretByteCount = 32
    /// Where answers have the next token.
    package static let header = "X-Apple-CloudKit-Web-Auth-Token"

    private static let byteCount = RandomIdentifier.byteCount + secretByteCount
    /// What its hash is for, so that it is no hash for anything else.
    private static let purpose = Array("bulla web token\u{0}".utf8)

    package let identifier: RandomIdentifier
    package let secret: SecretBytes

    /// A new token.
    ///
    /// - Throws: ``CipherError`` when the system gives no random bytes or no locked memory.
    package static func random() throws(CipherError) -> WebToken {
        var secret = try SecretBytes.zeroed(byteCount: secretByteCount)
        try secret.withMutableView { view throws(CipherError) in try KernelRandom.fill(view) }
        let identifier = try FileIdentifier.random().bytes.withView { RandomIdentifier($0) }
        return WebToken(identifier: identifier, secret: secret)
    }

    private init(identifier: RandomIdentifier, secret: consuming SecretBytes) {
        self.identifier = identifier
        self.secret = secret
    }

    /// The token that a text is; `nil` where it is none.
    ///
    /// - Throws: ``CipherError`` when the system gives no locked memory.
    package init?(_ text: String) throws(CipherError) {
        guard text.utf8.count <= 4 * Self.byteCount,
            var bytes = Base64.bytes(text.utf8, form: .address), bytes.count == Self.byteCount
        else { return nil }
        // The text is the caller's; of ours no copy stays.
        defer { for place in bytes.indices { bytes[place] = 0 } }
        var secret = try SecretBytes.zeroed(byteCount: Self.secretByteCount)
        identifier = bytes.withView { RandomIdentifier($0) }
        bytes.withView { view in
            secret.withMutableView { secret in
                secret.copy(
                    view.slice(RandomIdentifier.byteCount, Self.secretByteCount), to: 0)
            }
        }
        self.secret = secret
    }

    /// The token as clients have it.
    package borrowing func text() -> String {
        secret.withView { secret in
            var bytes = identifier.bytes
            bytes.reserveCapacity(Self.byteCount)
            bytes.append(secret)
            defer { for place in bytes.indices { bytes[place] = 0 } }
            return Base64.text(bytes, form: .address)
        }
    }

    /// What the server keeps, and compares with ``Digest/equals(_:)``.
    ///
    /// The secret is random and as long as the hash, so it needs no stretching.
    package borrowing func hash() throws(CipherError) -> Digest {
        try secret.withView { secret throws(CipherError) in
            var bytes = Self.purpose + identifier.bytes
            bytes.reserveCapacity(bytes.count + Self.secretByteCount)
            bytes.append(secret)
            defer { for place in bytes.indices { bytes[place] = 0 } }
            return try bytes.withView { view throws(CipherError) in
                try KeyDerivation.sha256(view)
            }
        }
    }
}
