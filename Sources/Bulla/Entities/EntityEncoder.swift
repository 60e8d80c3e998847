package import BullaMemory

/// Encodes an entity as CBOR for sealing, in memory that is locked, and that is wiped at the end.
///
/// A keyed container becomes a map with texts as keys, in the order of encoding. An unkeyed
/// container becomes an array, and `[UInt8]` a byte string. Integers, lengths and counts take the
/// fewest bytes that hold them; a `Double` takes four bytes if these hold it exactly.
///
/// ``EntityDecoder`` decodes whatever this encodes. The encoder refuses what the decoder would
/// refuse: integers of more than 64 bits, items nested more than 64 deep, and a key that comes
/// twice in one map. Codable's rule applies: a container must not be used after the value that it
/// belongs to has been encoded.
///
/// - Source: RFC 8949, section 4.1 (preferred serialization).
package struct EntityEncoder: Sendable {
    /// The `userInfo` that entities see when they encode themselves.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    package init() {}

    /// Encodes an entity into memory of its own.
    ///
    /// - Throws: `EncodingError`, which holds the type and not the value; ``BullaError`` with
    ///   ``BullaError/Code/outOfMemory``; and whatever the entity throws.
    /// - Complexity: linear in the bytes; more if the entity returns to a container that it has
    ///   left.
    package func encode<E: Encodable>(_ entity: E) throws -> EncodedEntity {
        var writer = SecretWriter()
        try encode(entity, into: &writer)
        return EncodedEntity(writer)
    }

    /// Encodes an entity into a writer: replaces the writer's content, and reuses its memory.
    ///
    /// - Throws: as ``encode(_:)``; the writer is then empty.
    package func encode<E: Encodable>(_ entity: E, into writer: inout SecretWriter) throws {
        let output = EntityOutput(userInfo: userInfo)
        do {
            try output.encode(into: &writer) { try EncodingNode(output, $0).encode(entity) }
        } catch {
            guard let fault = error as? CBORFault else { throw error }
            throw EncodingError.invalidValue(
                E.self, EncodingError.Context(codingPath: [], debugDescription: fault.description))
        }
    }
}

/// An entity as bytes, in memory that is locked, and that is wiped at the end.
package struct EncodedEntity: ~Copyable, Sendable {
    private let writer: SecretWriter

    fileprivate init(_ writer: consuming SecretWriter) { self.writer = writer }

    package var byteCount: Int { writer.byteCount }

    /// Lends the bytes; the view must not leave `body`.
    package borrowing func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R { try writer.withView(body) }
}
