/// One item that is being encoded, with the path to it.
final class EncodingNode {
    let output: EntityOutput
    let place: EncodingPlace
    private let parent: EncodingNode?
    private let key: (any CodingKey)?

    init(
        _ output: EntityOutput, _ place: EncodingPlace, parent: EncodingNode? = nil,
        key: (any CodingKey)? = nil
    ) {
        self.output = output
        self.place = place
        self.parent = parent
        self.key = key
    }

    /// Adds an item to this array or map.
    ///
    /// - Parameters:
    ///   - key: the item's place in the path, for an error.
    ///   - name: the item's key if this is a map; `nil` if it is an array.
    @inline(__always)
    func add<T: Encodable>(_ value: T, key: @autoclosure () -> any CodingKey, name: String?) throws
    {
        if let scalar = CBORScalar(value) {
            do { try output.add(scalar, key: name, to: place) } catch {
                throw refined(error, T.self, key())
            }
        } else {
            try addNested(value, key: key(), name: name)
        }
    }

    private func addNested<T: Encodable>(
        _ value: T, key: any CodingKey, name: String?
    ) throws {
        do {
            try output.addFrame(key: name, to: place) { place in
                try value.encode(to: EncodingNode(output, place, parent: self, key: key))
            }
        } catch { throw refined(error, T.self, key) }
    }

    func addNull(key: @autoclosure () -> any CodingKey, name: String?) throws {
        do { try output.add(.null, key: name, to: place) } catch {
            throw refined(error, Never?.self, key())
        }
    }

    /// Adds an item that the caller encodes later.
    ///
    /// It does not throw, because the methods of Codable that call it cannot. If it fails, every
    /// later call throws that error, and so does the encoder.
    func addLater(key: any CodingKey, name: String?) -> EncodingNode {
        do {
            let place = try output.addFrame(key: name, to: place)
            return EncodingNode(output, place, parent: self, key: key)
        } catch {
            output.fail(refined(error, Any.self, key))
            return EncodingNode(output, .none, parent: self, key: key)
        }
    }

    /// Makes this item an array or a map.
    func open(_ kind: EncodingFrame.Kind) {
        do { try output.open(kind, at: place) } catch { output.fail(refined(error, Any.self)) }
    }

    /// Turns an error of this encoder into one of Codable's; returns any other error as it is.
    ///
    /// The new error holds the type and not the value, which may be a secret.
    func refined(_ error: any Error, _ type: Any.Type, _ key: (any CodingKey)? = nil) -> any Error {
        guard let refusal = error as? EncodingRefusal else { return error }
        let path = codingPath + (key.map { [$0] } ?? [])
        return EncodingError.invalidValue(
            type, EncodingError.Context(codingPath: path, debugDescription: refusal.rawValue))
    }
}

extension EncodingNode: Encoder {
    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var node: EncodingNode? = self
        while let current = node {
            if let key = current.key { path.append(key) }
            node = current.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { output.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.map)
        return KeyedEncodingContainer(EncodingMap(self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.array)
        return EncodingList(self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension EncodingNode: SingleValueEncodingContainer {
    func encodeNil() throws {
        do { try output.encode(.null, at: place) } catch { throw refined(error, Never?.self) }
    }

    func encode<T: Encodable>(_ value: T) throws {
        do {
            if let scalar = CBORScalar(value) {
                try output.encode(scalar, at: place)
            } else {
                try output.fill(place) { try value.encode(to: self) }
            }
        } catch { throw refined(error, T.self) }
    }

    // Refuse these values here, because Codable's default implementation would put them into its
    // error.
    func encode(_ value: Int128) throws { throw refined(EncodingRefusal.wide, Int128.self) }
    func encode(_ value: UInt128) throws { throw refined(EncodingRefusal.wide, UInt128.self) }
}
