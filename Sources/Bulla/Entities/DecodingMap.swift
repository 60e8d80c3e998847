internal import BullaMemory

/// A map that is being decoded in place.
struct DecodingMap<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let node: DecodingNode

    init(_ node: DecodingNode) { self.node = node }

    var codingPath: [any CodingKey] { node.codingPath }

    /// The map's keys that `Key` knows, in the order in which they were encoded; none if the map
    /// cannot be read.
    var allKeys: [Key] { (try? keys()) ?? [] }

    private func keys() throws(DecodingRefusal) -> [Key] {
        let view = try node.view
        var keys: [Key] = []
        var offset = node.item.content
        for _ in 0..<node.item.count {
            let pair = try MapSearch.pair(at: offset, in: view)
            if let key = Key(stringValue: pair.key.text) { keys.append(key) }
            offset = pair.end
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { (try? node.find(key.stringValue)) != nil }

    private func item(_ key: some CodingKey) throws -> CBORItem {
        guard let item = try itemIfPresent(key) else { throw node.missing(key) }
        return item
    }

    private func itemIfPresent(_ key: some CodingKey) throws -> CBORItem? {
        do { return try node.find(key.stringValue) } catch {
            throw node.refined(error, Any.self, key)
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try item(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try node.decode(type, item(key), key: key)
    }

    /// Looks the key up once; Codable's default would look it up three times.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let item = try itemIfPresent(key), !item.isNull else { return nil }
        return try node.decode(type, item, key: key)
    }

    private func inner(_ key: some CodingKey) throws -> DecodingNode {
        DecodingNode(try item(key), in: node, key: key)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> { try inner(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try inner(EntityKey.superclass) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}
