package import BullaCipher
package import BullaMemory

/// The keys of a container itself, in one of its environments.
///
/// They are derived from one secret, by HKDF-SHA-256 with a label for each. The library and the
/// service have them, and can read what is not encrypted. A backend has none of them, and can read
/// only the values in its indexes.
///
///     key         what for
///     plain       seals the values of fields that are not encrypted
///     public      wraps the record keys of the public database
///     tokens      authenticates change tokens
///     schema      authenticates the schema
///     heads       authenticates the heads of zones
///     records     hashes the records that a zone has
///     tickets     seals what clients keep for the service, such as query marks
///     directory   authenticates accounts' public keys, their lists of shared zones, share tokens,
///                 and where databases are
package final class ContainerKeys: Sendable {
    package static let secretByteCount = 32

    package let place: Place
    /// The vault identifier in blobs of plain values: all blobs of a place have the same one.
    let identifier: VaultIdentifier
    let plain: VaultCipher
    let publicRecords: VaultCipher
    let tickets: VaultCipher
    package let tokens: HMAC
    package let schema: HMAC
    package let heads: HMAC
    let records: HMAC
    package let directory: HMAC

    /// - Parameter secret: 32 bytes; the caller keeps ownership.
    package init(_ place: Place, _ secret: borrowing SecretBytes) throws(RecordError) {
        precondition(secret.byteCount == Self.secretByteCount, "a container's secret has 32 bytes")
        self.place = place
        do throws(CipherError) {
            identifier = try Self.identifier(place, secret)
            plain = try VaultCipher(key: try Self.key("plain values", place, secret))
            publicRecords = try VaultCipher(key: try Self.key("public records", place, secret))
            tickets = try VaultCipher(key: try Self.key("tickets", place, secret))
            tokens = try HMAC(key: try Self.key("tokens", place, secret))
            schema = try HMAC(key: try Self.key("schema", place, secret))
            heads = try HMAC(key: try Self.key("zone heads", place, secret))
            records = try HMAC(key: try Self.key("zone records", place, secret))
            directory = try HMAC(key: try Self.key("directory", place, secret))
        } catch { throw RecordError.cipher("derive the keys of \(place.container)", error) }
    }

    private static func key(
        _ purpose: String, _ place: Place, _ secret: borrowing SecretBytes
    ) throws(CipherError) -> SecretBytes {
        let info = ByteTuple("bulla records \(purpose) v1", place).bytes
        return try secret.withView { secret throws(CipherError) in
            try KeyDerivation.hkdf(
                key: secret, salt: [], info: info, byteCount: secretByteCount)
        }
    }

    private static func identifier(
        _ place: Place, _ secret: borrowing SecretBytes
    ) throws(CipherError) -> VaultIdentifier {
        try key("identifier", place, secret).withView { VaultIdentifier($0) }
    }

    /// Wipes all keys: after that, using them fails.
    package func end() {
        plain.end()
        publicRecords.end()
        tickets.end()
        for key in [tokens, schema, heads, records, directory] { key.end() }
    }
}

extension RecordError {
    /// The record layer's error for a failure of the ciphers: `damaged` for bytes that are not what
    /// was sealed, otherwise a failure of this machine.
    static func cipher(_ attempt: String, _ error: CipherError) -> RecordError {
        switch error.code {
        case .badTag, .malformed, .foreign, .staleCheck:
            RecordError(.damaged, "\(attempt): the stored bytes are not what was sealed there")
        case .memory:
            RecordError(.unavailable, "\(attempt): no memory could be locked, or the keys are gone")
        default: RecordError(.internalError, "\(attempt): \(error.code)")
        }
    }
}
