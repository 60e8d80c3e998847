/// An array that is being encoded.
struct EncodingList: UnkeyedEncodingContainer {
    private let node: EncodingNode

    init(_ node: EncodingNode) { self.node = node }

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.output.count(at: node.place) }

    private var key: EntityKey { .index(count) }

    func encodeNil() throws { try node.addNull(key: key, name: nil) }

    func encode<T: Encodable>(_ value: T) throws { try node.add(value, key: key, name: nil) }

    // Refuse these values here, because Codable's default implementation would put them into its
    // error.
    func encode(_ value: Int128) throws {
        throw node.refined(EncodingRefusal.wide, Int128.self, key)
    }

    func encode(_ value: UInt128) throws {
        throw node.refined(EncodingRefusal.wide, UInt128.self, key)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) -> KeyedEncodingContainer<Inner> {
        node.addLater(key: key, name: nil).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        node.addLater(key: key, name: nil).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { node.addLater(key: key, name: nil) }
}
