internal import BullaMemory

/// One item that is being decoded, with the path to it.
///
/// The entity itself is the root. Only the root holds the bytes, for as long as they are lent.
final class DecodingNode {
    let item: CBORItem
    /// `nil` in the root.
    private let root: DecodingNode?
    private let parent: DecodingNode?
    private let key: (any CodingKey)?
    private var search: MapSearch

    /// The caller's `userInfo`; set only in the root.
    private let information: [CodingUserInfoKey: any Sendable]
    /// Set only in the root; `nil` once the bytes have gone back to their owner.
    private var lent: ByteView?
    /// How many values are being decoded, each inside the one before; counted only in the root.
    private var nesting = 0

    /// The root: an entity in bytes that are lent until ``end()``.
    init(_ item: CBORItem, in view: ByteView, userInfo: [CodingUserInfoKey: any Sendable]) {
        self.item = item
        (root, parent, key) = (nil, nil, nil)
        search = MapSearch(item)
        information = userInfo
        lent = view
    }

    /// An item inside another one.
    init(_ item: CBORItem, in parent: DecodingNode, key: (any CodingKey)?) {
        self.item = item
        root = parent.root ?? parent
        self.parent = parent
        self.key = key
        search = MapSearch(item)
        information = [:]
    }

    /// Makes every later use of a container fail; called on the root.
    func end() { lent = nil }

    var view: ByteView {
        get throws(DecodingRefusal) {
            // Only the root holds the bytes.
            guard let lent = root?.lent ?? lent else { throw .late }
            return lent
        }
    }

    /// Finds the value of a key in this item, which is a map; `nil` if the map does not have the
    /// key.
    func find(_ name: String) throws(DecodingRefusal) -> CBORItem? {
        let view = try view
        // Search with a copy, and put it back, because a search in place would check for exclusive
        // access at every step.
        var search = search
        let found = try name.withBytes { (bytes) throws(DecodingRefusal) in
            try bytes.withView { (name) throws(DecodingRefusal) in
                try search.find(name, of: item, in: view)
            }
        }
        self.search = search
        return found
    }

    /// Decodes an item inside this one.
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

    /// Has a value decode itself from this item, unless too many values are nested already.
    private func make<T: Decodable>(_ type: T.Type) throws -> T {
        let root = root ?? self
        guard root.nesting < EntityLimit.nestedCalls else { throw DecodingRefusal.tooDeep }
        root.nesting += 1
        defer { root.nesting -= 1 }
        return try T(from: self)
    }

    /// Turns an error of this decoder into one of Codable's; returns any other error as it is.
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

    /// The error for a missing key; its path ends at this item and does not include the key.
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
