package import BullaMemory

/// Decodes entities in place, from the bytes that ``EntityEncoder`` made.
///
/// It copies only what becomes part of the entity. It checks all bytes before it decodes any of
/// them. The time to decode or refuse an entity has a bound, which depends only on the number of
/// bytes and on the model.
///
/// It refuses an entity that is cut off, or has bytes after it; items of indefinite length, tags,
/// and simple values other than booleans and null; texts that are not UTF-8; keys that are not
/// texts, or that come twice in a map; and items nested more than 64 deep. It accepts 16-bit
/// floats, and numbers in a longer form than they need.
///
/// Keys that the model does not know are ignored, and optional properties without a key are `nil`.
/// `[UInt8]` is decoded from a byte string or from an array.
///
/// - Source: RFC 8949, section 3.
package struct EntityDecoder: Sendable {
    /// The `userInfo` that entities see when they decode themselves.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    package init() {}

    /// Decodes an entity.
    ///
    /// - Throws: `DecodingError`, which holds no value, though its path can contain keys of a
    ///   dictionary; and whatever the entity throws.
    package func decode<E: Decodable>(_ type: E.Type, from bytes: RawSpan) throws -> E {
        try bytes.withView { try decode(type, from: $0) }
    }

    /// Decodes an entity from bytes that stay where they are until this returns.
    ///
    /// - Throws: as ``decode(_:from:)-(_,RawSpan)``.
    package func decode<E: Decodable>(_ type: E.Type, from view: ByteView) throws -> E {
        let root = DecodingNode(try item(of: view), in: view, userInfo: userInfo)
        defer { root.end() }
        return try root.decode(type)
    }

    private func item(of view: ByteView) throws -> CBORItem {
        do throws(CBORFault) {
            try CBORCheck.check(view)
            guard let item = CBORItem(view, at: 0) else {
                throw CBORFault(reason: .cutOff, offset: 0)
            }
            return item
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: error.description))
        }
    }
}
