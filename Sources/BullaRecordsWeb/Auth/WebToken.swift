internal import BullaCipher
package import BullaMemory
package import BullaRecords
internal import BullaText

/// The token with which a client acts for a user: the key of a session, as text.
///
///     bytes  field
///        16  identifier of the session
///        32  secret
///
/// As text, these are 64 characters that need no escape in an address.
package struct WebToken: ~Copyable, Sendable {
    /// The header in which answers return the next token.
    package static let header = "X-Apple-CloudKit-Web-Auth-Token"

    private static let byteCount = RandomIdentifier.byteCount + SessionKey.secretByteCount

    package let session: SessionKey

    package init(_ session: consuming SessionKey) { self.session = session }

    /// The token in a text; `nil` if the text is not a token.
    ///
    /// - Throws: ``MemoryError`` if the system provides no locked memory.
    package init?(_ text: String) throws(MemoryError) {
        guard text.utf8.count <= 4 * Self.byteCount,
            var bytes = Base64.bytes(text.utf8, form: .address), bytes.count == Self.byteCount
        else { return nil }
        // The text belongs to the caller; our copy of its bytes is erased.
        defer { bytes.wipe() }
        var secret = try SecretBytes(byteCount: SessionKey.secretByteCount)
        let identifier = bytes.withView { RandomIdentifier($0) }
        bytes.withView { view in
            secret.withMutableView { secret in
                secret.copy(
                    view.slice(RandomIdentifier.byteCount, SessionKey.secretByteCount), to: 0)
            }
        }
        session = SessionKey(identifier, secret: secret)
    }

    /// The token as text, in the form that clients get.
    package borrowing func text() -> String {
        session.secret.withView { secret in
            var bytes = session.identifier.bytes
            bytes.reserveCapacity(Self.byteCount)
            bytes.append(secret)
            defer { bytes.wipe() }
            return Base64.text(bytes, form: .address)
        }
    }
}
