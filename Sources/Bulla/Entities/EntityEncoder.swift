package import BullaMemory

/// Makes bytes of an entity, to be sealed: CBOR, in memory that is locked and wiped.
///
/// What the entity has by keys becomes a map with texts as keys, in the order in which it encodes
/// them; what it has in a row becomes an array, and `[UInt8]` a byte string. Numbers, lengths and
/// counts take the fewest bytes that say them; a `Double` takes four where they are enough.
///
/// ``EntityDecoder`` decodes whatever this encodes; what it would refuse is refused here: integers
/// of more than 64 bits, items nested more than 64 deep, a key twice in one map. Codable's limits
/// hold too: a container must not be used after what it belongs to has been encoded.
///
/// - Source: RFC 8949, section 4.1 (preferred serialization).
package struct EntityEncoder: Sendable {
    /// What entities are told when they encode themselves.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    package init() {}

    /// Encodes an entity into memory of its own.
    ///
    /// - Throws: `EncodingError`, which holds the type instead of the value; ``BullaError`` with
    ///   ``BullaError/Code/outOfMemory``; and what the entity throws itself.
    /// - Complexity: in the bytes; more where a caller goes back to a container that it has left.
    package func encode<E: Encodable>(_ entity: E) throws -> EncodedEntity {
        var writer = SecretWriter()
        try encode(entity, into: &writer)
        return EncodedEntity(writer)
    }

    /// Encodes an entity in place of what the writer has, whose memory serves again.
    ///
    /// - Throws: as ``encode(_:)``; the writer is empty then.
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

/// An entity as bytes, in memory that is locked, and wiped when it goes away.
package struct EncodedEntity: ~Copyable, Sendable {
    private let writer: SecretWriter

    fileprivate init(_ writer: consuming SecretWriter) { self.writer = writer }

    package var byteCount: Int { writer.byteCount }

    /// Lends the bytes; the view must not leave `body`.
    package borrowing func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R { try writer.withView(body) }
}
