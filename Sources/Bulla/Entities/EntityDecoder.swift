package import BullaMemory

/// Makes an entity of the bytes that ``EntityEncoder`` made, where they lie: it copies only what
/// becomes part of the entity.
///
/// Any bytes decode or are refused, in a time that follows from their number and from the model.
/// They are read over once before anything is decoded. Refused are: what is cut off, or has bytes
/// behind it; items of indefinite length, tags, and simple values other than booleans and null;
/// texts that are not UTF-8; keys that are not texts, or come twice in a map; and items nested more
/// than 64 deep. Longer forms of numbers than needed are taken, and floats of 16 bits.
///
/// Keys that the model does not know are left out, and optional properties without a key are `nil`.
/// `[UInt8]` is taken from a byte string and from an array.
///
/// - Source: RFC 8949, section 3.
package struct EntityDecoder: Sendable {
    /// What entities are told when they decode themselves.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    package init() {}

    /// Decodes an entity.
    ///
    /// - Throws: `DecodingError`, whose path may have keys of a dictionary in it, but which has no
    ///   value; and what the entity throws itself.
    package func decode<E: Decodable>(_ type: E.Type, from bytes: RawSpan) throws -> E {
        try bytes.withView { try decode(type, from: $0) }
    }

    /// Decodes an entity of bytes that stay where they are until this returns.
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
