internal import BullaMemory

/// An entity as it was fetched: its key, with everything else still sealed.
///
/// Nothing is opened before ``open()``, and this value does not keep what it opens. An entity that
/// is read twice is opened twice, unless the caller keeps the result.
public struct SealedEntity<Entity: Codable & Sendable>: Sendable {
    private let record: SealedRecord

    init(_ record: SealedRecord) { self.record = record }

    /// The key under which the tree holds the entity; an HMAC if the collection hides its keys.
    ///
    /// - Complexity: a copy of the key.
    public var key: [UInt8] { record.key }

    /// The vault of the collection.
    public var vault: Vault { record.origin.vault }

    func failure(_ error: BullaError) -> VaultFailure { record.failure(error) }

    /// Opens the entity.
    ///
    /// - Throws: `vaultLocked`; `otherVault` if another vault sealed it; `sealDamaged` if it was
    ///   changed, or moved here from another place; `unsupportedFormat` if a newer version sealed
    ///   it; `entityMismatch` if it is of another type; `outOfMemory` if the cleartext that is lent
    ///   at one time would exceed the vault's `lentByteLimit`, or if no memory could be locked;
    ///   `closed`, `usedAfterFork`.
    /// - Complexity: one pass over the blob's bytes, and decoding them.
    public func open() throws(BullaError) -> Entity {
        try record.opened().decode(Entity.self, in: vault)
    }
}

/// The result of opening many entities.
public struct SealedFetch<Entity: Codable & Sendable>: Sendable {
    /// The entities that opened, in key order.
    public internal(set) var entities: [(key: [UInt8], entity: Entity)] = []
    /// The entities that did not open, each with its key and its error.
    public internal(set) var failures: [VaultFailure] = []
}

extension OpenedBlob {
    /// Decodes the entity that the cleartext holds.
    ///
    /// - Parameter vault: the vault that an error names. The argument is evaluated only for an
    ///   error: retaining a vault is slow, because the store refers to it weakly.
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
    /// Encodes an entity into memory that is wiped when it is released.
    func encode(_ entity: some Encodable) throws(BullaError) -> EncodedEntity {
        do { return try EntityEncoder().encode(entity) } catch let error as BullaError {
            // Do not report this error as a mismatch: there was no memory for secrets, but the
            // entity may be sound.
            throw error
        } catch {
            throw BullaError(
                .entityMismatch, "seal an entity in \(place): \(type(of: entity)) does not encode")
        }
    }
}
