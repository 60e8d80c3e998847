/// A map that is being encoded: pairs in the order in which the caller encodes them.
///
/// A duplicate key is refused only after the whole entity has been encoded.
struct EncodingMap<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let node: EncodingNode

    init(_ node: EncodingNode) { self.node = node }

    var codingPath: [any CodingKey] { node.codingPath }

    func encodeNil(forKey key: Key) throws { try node.addNull(key: key, name: key.stringValue) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try node.add(value, key: key, name: key.stringValue)
    }

    // Refuse these values here, because Codable's default implementation would put them into its
    // error.
    func encode(_ value: Int128, forKey key: Key) throws {
        throw node.refined(EncodingRefusal.wide, Int128.self, key)
    }

    func encode(_ value: UInt128, forKey key: Key) throws {
        throw node.refined(EncodingRefusal.wide, UInt128.self, key)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
        node.addLater(key: key, name: key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        node.addLater(key: key, name: key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        node.addLater(key: EntityKey.superclass, name: EntityKey.superclass.stringValue)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        node.addLater(key: key, name: key.stringValue)
    }
}
