internal import BullaMemory

/// An entity as it was fetched: its key, and everything else sealed.
///
/// Nothing is opened before ``open()``, and nothing that was opened is kept: an entity that is
/// looked at twice is opened twice, unless the caller keeps what came of it.
public struct SealedEntity<Entity: Codable & Sendable>: Sendable {
    private let record: SealedRecord

    init(_ record: SealedRecord) { self.record = record }

    /// The key that it stands under; where a collection hides its keys, their HMAC.
    ///
    /// - Complexity: a copy of it.
    public var key: [UInt8] { record.key }

    /// The vault that it was sealed in.
    public var vault: Vault { record.origin.vault }

    func failure(_ error: BullaError) -> VaultFailure { record.failure(error) }

    /// Opens the entity.
    ///
    /// - Throws: `vaultLocked`; `otherVault`; `sealDamaged` where it was changed, or put in this
    ///   place from another; `unsupportedFormat` where a newer version sealed it; `entityMismatch`
    ///   where it is of another type; `outOfMemory` where more would be lent at once than the
    ///   vault's `lentByteLimit`.
    /// - Complexity: one pass over its bytes, and decoding them.
    public func open() throws(BullaError) -> Entity {
        try record.opened().decode(Entity.self, in: vault)
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
    ///
    /// - Parameter vault: named in the error. It is evaluated only then, because retaining a vault
    ///   is slow: its store refers to it weakly.
    borrowing func decode<Entity: Decodable>(
        _ type: Entity.Type, in vault: @autoclosure () -> Vault, from offset: Int = 0
    ) throws(BullaError) -> Entity {
        try withView { view throws(BullaError) in
            do {
                return try EntityDecoder().decode(
                    type, from: view.slice(offset, view.byteCount - offset))
            } catch {
                throw BullaError(
                    .entityMismatch,
                    "open an entity of \(vault().place): it does not decode as \(type)")
            }
        }
    }
}

extension Vault {
    /// Encodes an entity into memory that is wiped.
    func encode(_ entity: some Encodable) throws(BullaError) -> EncodedEntity {
        do { return try EntityEncoder().encode(entity) } catch let error as BullaError {
            // Memory for secrets is short: that says nothing of the entity.
            throw error
        } catch {
            throw BullaError(
                .entityMismatch, "seal an entity in \(place): \(type(of: entity)) does not encode")
        }
    }
}
