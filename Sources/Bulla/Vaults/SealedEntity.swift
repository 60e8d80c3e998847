internal import BullaMemory

/// An entity as it was fetched: its key, and everything else sealed.
///
/// Nothing is opened before ``open()``, and nothing that was opened is kept: an entity that is
/// looked at twice is opened twice, unless the caller keeps what came of it.
public struct SealedEntity<Entity: Codable & Sendable>: Sendable {
    /// The key that it stands under; where a collection hides its keys, their HMAC.
    public let key: [UInt8]
    /// The vault that it was sealed in.
    public let vault: Vault

    let blob: [UInt8]
    let identity: SealedIdentity

    init(_ blob: [UInt8], _ identity: SealedIdentity, _ vault: Vault) {
        (self.blob, self.identity, self.vault) = (blob, identity, vault)
        key = identity.key
    }

    /// Opens the entity.
    ///
    /// - Throws: `vaultLocked`; `otherVault`; `sealDamaged` where it was changed, or put in this
    ///   place from another; `entityMismatch` where it is of another type.
    /// - Complexity: one pass over its bytes, and decoding them.
    public func open() throws(BullaError) -> Entity {
        let cleartext = try blob.withTypedView { blob throws(BullaError) in
            try vault.opened(blob, for: identity)
        }
        return try cleartext.decode(Entity.self, in: vault)
    }
}

/// What was opened of many entities, and what was not.
public struct SealedFetch<Entity: Codable & Sendable>: Sendable {
    /// Those that opened, in the order of their keys.
    public internal(set) var entities: [(key: [UInt8], entity: Entity)] = []
    /// Those that did not, each by its key.
    public internal(set) var failures: [VaultFailure] = []
}

extension OpenedBlob {
    /// The entity that the cleartext is of.
    func decode<Entity: Decodable>(
        _ type: Entity.Type, in vault: Vault, from offset: Int = 0
    ) throws(BullaError) -> Entity {
        try withView { view throws(BullaError) in
            do {
                return try EntityDecoder().decode(
                    type, from: view.slice(offset, view.byteCount - offset))
            } catch {
                throw BullaError(
                    .entityMismatch,
                    "open an entity of \(vault.place): it does not decode as \(type)")
            }
        }
    }
}

extension Vault {
    /// Encodes an entity into memory that is wiped.
    func encode(_ entity: some Encodable) throws(BullaError) -> EncodedEntity {
        do { return try EntityEncoder().encode(entity) } catch {
            throw BullaError(
                .entityMismatch, "seal an entity in \(place): \(type(of: entity)) does not encode")
        }
    }
}
