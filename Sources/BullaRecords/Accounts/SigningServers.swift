internal import Bulla
internal import BullaCipher
internal import BullaMemory

/// A server that signs its requests with its own P-256 key.
package struct SigningServer: Hashable, Sendable {
    package let name: String
    /// A SubjectPublicKeyInfo in DER (RFC 5480).
    package let publicKey: [UInt8]

    package init(_ name: String, publicKey: [UInt8]) {
        (self.name, self.publicKey) = (name, publicKey)
    }
}

/// Servers that may send requests of their own to public databases.
package struct SigningServers: Sendable {
    private let store: Store

    init(_ store: Store) { self.store = store }

    private func rows(_ place: Place) -> PlaceRows { PlaceRows(store, "servers", place) }

    /// Admits a server.
    ///
    /// - Returns: the key ID that its requests name: the SHA-256 of the key, as 64 hexadecimal
    ///   digits.
    /// - Throws: `invalidArguments` if the name or the key is invalid, or the key is already
    ///   admitted.
    package func add(_ server: SigningServer, in place: Place) throws(RecordError) -> String {
        guard NameRules.isAccountName(server.name) else {
            throw RecordError(
                .invalidArguments,
                "admit a server: a name has 1 to 255 bytes, without spaces or control characters")
        }
        guard Signature.isP256Key(server.publicKey) else {
            throw RecordError(
                .invalidArguments, "admit a server: its public key is not a P-256 key in DER")
        }
        return try RecordError.attempt("admit a server") {
            let keyID = Hexadecimal.text(
                try server.publicKey.withView { view throws(CipherError) in
                    try KeyDerivation.sha256(view).bytes
                })
            var row: [UInt8] = []
            row.append(text: server.name)
            row.append(counted: server.publicKey)
            guard try rows(place).insert(row, Array(keyID.utf8)) else {
                throw RecordError(.invalidArguments, "admit a server: its key is already admitted")
            }
            return keyID
        }
    }

    /// The server with this key ID; `nil` if there is none.
    package func server(
        _ keyID: String, in place: Place
    ) throws(RecordError) -> SigningServer? {
        guard keyID.utf8.count == 2 * Digest.byteCount else { return nil }
        return try RecordError.attempt("look up a server") {
            try rows(place).row(Array(keyID.utf8)).map { try Self.server($0) }
        }
    }

    /// All servers, by key ID.
    package func all(in place: Place) throws(RecordError) -> [String: SigningServer] {
        try RecordError.attempt("list servers") {
            let pairs = try rows(place).rows().map { key, row in
                (String(decoding: key, as: UTF8.self), try Self.server(row))
            }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    /// Revokes the admission of a server.
    ///
    /// - Throws: `unknownItem` if no server has this key ID.
    package func remove(_ keyID: String, in place: Place) throws(RecordError) {
        try RecordError.attempt("remove a server") {
            guard try rows(place).delete([Array(keyID.utf8)]) > 0 else {
                throw RecordError(.unknownItem, "remove a server: none has this key ID")
            }
        }
    }

    private static func server(_ row: [UInt8]) throws(RecordError) -> SigningServer {
        let server = row.withView { view -> SigningServer? in
            var cursor = ByteCursor(view)
            guard let name = cursor.nextText(), let key = cursor.nextCounted(), cursor.isAtEnd
            else { return nil }
            return SigningServer(name, publicKey: key.copied())
        }
        guard let server else { throw RecordError(.damaged, "read a server: its row is malformed") }
        return server
    }
}
