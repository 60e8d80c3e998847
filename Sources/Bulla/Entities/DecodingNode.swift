internal import BullaMemory

/// One item that is being decoded, with the way to it.
final class DecodingNode {
    let input: EntityInput
    let item: CBORItem
    private let parent: DecodingNode?
    private let key: (any CodingKey)?
    private var search: MapSearch

    init(
        _ input: EntityInput, _ item: CBORItem, parent: DecodingNode? = nil,
        key: (any CodingKey)? = nil
    ) {
        self.input = input
        self.item = item
        self.parent = parent
        self.key = key
        search = MapSearch(item)
    }

    /// The value of a key of this item, a map; `nil` where the map does not have the key.
    func find(_ name: String) throws(DecodingRefusal) -> CBORItem? {
        let view = try input.view
        return try name.withBytes { (bytes) throws(DecodingRefusal) in
            try bytes.withView { (name) throws(DecodingRefusal) in try search.find(name, in: view) }
        }
    }

    /// Decodes an item that lies in this one.
    @inline(__always)
    func decode<T: Decodable>(
        _ type: T.Type, _ item: CBORItem, key: @autoclosure () -> any CodingKey
    ) throws -> T {
        do throws(DecodingRefusal) { return try item.scalar(T.self, in: input.view) } catch {
            guard error == .composite else { throw refined(error, T.self, key()) }
        }
        return try decodeNested(T.self, item, key: key())
    }

    private func decodeNested<T: Decodable>(
        _ type: T.Type, _ item: CBORItem, key: any CodingKey
    ) throws -> T {
        let node = DecodingNode(input, item, parent: self, key: key)
        do { return try input.nest { try T(from: node) } } catch {
            throw refined(error, T.self, key)
        }
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
        do { _ = try input.view } catch { throw refined(error, type) }
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

    var userInfo: [CodingUserInfoKey: Any] { input.userInfo }

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
        do throws(DecodingRefusal) { return try item.scalar(T.self, in: input.view) } catch {
            guard error == .composite else { throw refined(error, T.self) }
        }
        do { return try input.nest { try T(from: self) } } catch { throw refined(error, T.self) }
    }
}
