internal import BullaMemory

/// One item that is being decoded, with the way to it.
///
/// The entity itself is the root, which has the bytes for as long as they are lent.
final class DecodingNode {
    let item: CBORItem
    /// `nil` of the root.
    private let root: DecodingNode?
    private let parent: DecodingNode?
    private let key: (any CodingKey)?
    private var search: MapSearch

    /// What entities are told, in the root.
    private let information: [CodingUserInfoKey: any Sendable]
    /// Of the root; `nil` once the bytes have gone back to their owner.
    private var lent: ByteView?
    /// Of the root: how many values are being decoded in one another.
    private var nesting = 0

    /// An entity that is being decoded, of bytes that are lent until ``end()``.
    init(_ item: CBORItem, in view: ByteView, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.item = item
        (root, parent, key) = (nil, nil, nil)
        search = MapSearch(item)
        information = userInfo
        lent = view
    }

    /// An item that lies in another one.
    init(_ item: CBORItem, in parent: DecodingNode, key: (any CodingKey)?) {
        self.item = item
        root = parent.root ?? parent
        self.parent = parent
        self.key = key
        search = MapSearch(item)
        information = [:]
    }

    /// Refuses every container that is still about; for the root.
    func end() { lent = nil }

    var view: ByteView {
        get throws(DecodingRefusal) {
            // None but the root has any.
            guard let lent = root?.lent ?? lent else { throw .late }
            return lent
        }
    }

    /// The value of a key of this item, a map; `nil` where the map does not have the key.
    func find(_ name: String) throws(DecodingRefusal) -> CBORItem? {
        let view = try view
        // Copied out and back: changing it in place would check exclusive access at every step.
        var search = search
        let found = try name.withBytes { (bytes) throws(DecodingRefusal) in
            try bytes.withView { (name) throws(DecodingRefusal) in
                try search.find(name, of: item, in: view)
            }
        }
        self.search = search
        return found
    }

    /// Decodes an item that lies in this one.
    @inline(__always)
    func decode<T: Decodable>(
        _ type: T.Type, _ item: CBORItem, key: @autoclosure () -> any CodingKey
    ) throws -> T {
        do throws(DecodingRefusal) { return try item.scalar(T.self, in: view) } catch {
            guard error == .composite else { throw refined(error, T.self, key()) }
        }
        return try decodeNested(T.self, item, key: key())
    }

    private func decodeNested<T: Decodable>(
        _ type: T.Type, _ item: CBORItem, key: any CodingKey
    ) throws -> T {
        let node = DecodingNode(item, in: self, key: key)
        do { return try node.make(T.self) } catch { throw refined(error, T.self, key) }
    }

    /// Has a value decode itself from this item, inside not too many others.
    private func make<T: Decodable>(_ type: T.Type) throws -> T {
        let root = root ?? self
        guard root.nesting < EntityLimit.nestedCalls else { throw DecodingRefusal.tooDeep }
        root.nesting += 1
        defer { root.nesting -= 1 }
        return try T(from: self)
    }

    /// An error of this decoder as Codable's.
    func refined(_ error: any Error, _ type: Any.Type, _ key: (any CodingKey)? = nil) -> any Error {
        guard let refusal = error as? DecodingRefusal else { return error }
        let context = DecodingError.Context(
            codingPath: codingPath + (key.map { [$0] } ?? []), debugDescription: refusal.rawValue)
        return switch refusal {
        case .null, .ended: DecodingError.valueNotFound(type, context)
        case .mismatch: DecodingError.typeMismatch(type, context)
        default: DecodingError.dataCorrupted(context)
        }
    }

    /// The key is not there, which its path does not name.
    func missing(_ key: any CodingKey) -> DecodingError {
        let text = DecodingRefusal.absent.rawValue
        return .keyNotFound(
            key, DecodingError.Context(codingPath: codingPath, debugDescription: text))
    }

    private func expect(_ isExpected: Bool, _ type: Any.Type) throws {
        do { _ = try view } catch { throw refined(error, type) }
        guard isExpected else { throw refined(item.mismatch, type) }
    }
}

extension DecodingNode: Decoder {
    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var node: DecodingNode? = self
        while let current = node {
            if let key = current.key { path.append(key) }
            node = current.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { (root ?? self).information }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try expect(item.kind == .map, [String: Any].self)
        return KeyedDecodingContainer(DecodingMap(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try expect(item.kind == .array || item.kind == .bytes, [Any].self)
        return DecodingList(self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension DecodingNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { item.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        do throws(DecodingRefusal) { return try item.scalar(T.self, in: view) } catch {
            guard error == .composite else { throw refined(error, T.self) }
        }
        do { return try make(T.self) } catch { throw refined(error, T.self) }
    }
}
