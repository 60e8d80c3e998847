internal import BullaMemory

/// An array that is being decoded, or a byte string as an array of its bytes.
struct DecodingList: UnkeyedDecodingContainer {
    private let node: DecodingNode
    private(set) var currentIndex = 0
    private var offset: Int

    init(_ node: DecodingNode) {
        self.node = node
        offset = node.item.content
    }

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int? { node.item.count }
    var isAtEnd: Bool { currentIndex >= node.item.count }

    private var key: EntityKey { .index(currentIndex) }

    /// The next item, and where the item after it begins.
    private func next() throws(DecodingRefusal) -> (item: CBORItem, end: Int) {
        let view = try node.view
        guard !isAtEnd else { throw .ended }
        if node.item.kind == .bytes {
            let byte = view.load(UInt8.self, at: offset)
            return (CBORItem(byte: byte, before: offset + 1), offset + 1)
        }
        guard let item = CBORItem(view, at: offset), let end = item.end(in: view) else {
            throw .damaged
        }
        return (item, end)
    }

    private func found(_ type: Any.Type) throws -> (item: CBORItem, end: Int) {
        do throws(DecodingRefusal) { return try next() } catch {
            throw node.refined(error, type, key)
        }
    }

    /// Moves on to the next item, after this one has been decoded.
    private mutating func pass(_ end: Int) {
        currentIndex += 1
        offset = end
    }

    mutating func decodeNil() throws -> Bool {
        let found = try found(Never?.self)
        if found.item.isNull { pass(found.end) }
        return found.item.isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let found = try found(T.self)
        let value = try node.decode(type, found.item, key: key)
        pass(found.end)
        return value
    }

    private mutating func inner<R>(
        _ type: Any.Type, _ body: (DecodingNode) throws -> R
    ) throws -> R {
        let found = try found(type)
        let result = try body(DecodingNode(found.item, in: node, key: key))
        pass(found.end)
        return result
    }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) throws -> KeyedDecodingContainer<Inner> {
        try inner([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try inner([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try inner(Any.self) { $0 } }
}
