package import BullaMemory

/// Where the values of a type's properties are, and what value a property has if none is stored.
///
/// The values of the key's properties are only in the key. A property that the row's writer did not
/// know has the initial value that the schema states. A property that the writer left out is nil,
/// empty, or the zero of its type.
package final class ObjectLayout: Sendable {
    private struct Place {
        let name: String
        /// Which part of the key the property is, if any.
        let keyPart: Int?
        /// The property's value if it is not present in a row; nil if that value is nil.
        let zero: [UInt8]?
        let initial: [UInt8]?
        let isMany: Bool
        let vault: String?
        let history: Int
    }

    package let name: String
    /// The types of the key's parts.
    package let key: [ScalarType]
    /// Whether a key consists of the plain bytes of its only part.
    private let isKeyPlain: Bool
    /// The places, by property number; nil for a number that no property has any more.
    private let places: [Place?]

    package convenience init(_ model: ModelSchema) {
        self.init(model.name, model.properties, key: model.key, model.keyTypes)
    }

    package convenience init(_ type: EmbeddedSchema) {
        self.init(type.name, type.properties, key: [], [])
    }

    /// - Parameter key: the numbers of the key's properties, whose types are `types`.
    private init(
        _ name: String, _ properties: [PropertySchema], key: [Int], _ types: [ScalarType]
    ) {
        self.name = name
        var places = [Place?](repeating: nil, count: (properties.map(\.number).max() ?? -1) + 1)
        for property in properties {
            places[property.number] = Place(
                name: property.name, keyPart: key.firstIndex(of: property.number),
                zero: property.zero, initial: property.initial,
                isMany: ![.one, .optional].contains(property.multiplicity),
                vault: property.vault, history: property.history ?? 0)
        }
        self.places = places
        self.key = types
        isKeyPlain = types.count == 1 && types[0].isDelimited
    }

    /// One more than the highest property number.
    package var count: Int { places.count }

    /// A property's name.
    package func name(of number: Int) -> String { places[number]?.name ?? "?" }

    /// The vault that seals a property, if any.
    package func vault(of number: Int) -> String? { places[number]?.vault }

    /// How many former values of a sealed property are kept.
    package func historyLimit(of number: Int) -> Int { places[number]?.history ?? 0 }

    /// Which part of the key a property is, if any.
    package func keyPart(of number: Int) -> Int? { places[number]?.keyPart }

    /// Whether a property is a part of the key.
    package func isOfKey(_ number: Int) -> Bool { places[number]?.keyPart != nil }

    /// Whether a row omits a value because it is an empty list, set or dictionary.
    ///
    /// A single value is always written, even if it is zero: the property may become optional
    /// later, and then a value that is not present means nil.
    package func isOmitted(_ value: ByteView, _ number: Int) -> Bool {
        value.byteCount == 0 && places[number]?.isMany == true
    }

    /// The value of a property if the object holds its plain bytes; `nil` if the property is nil,
    /// or if only ``withValue(_:of:_:)`` can read it.
    package func plainValue(_ number: Int, of object: ObjectBytes) -> ByteView? {
        guard let place = places[number] else { return nil }
        guard place.keyPart == nil else {
            return isKeyPlain && OrderedReader.isOne(object.key, key[0]) ? object.key : nil
        }
        guard case .value(let value) = object.row[number] else { return nil }
        return value
    }

    /// Whether two objects have the same value of a property.
    ///
    /// - Throws: `damaged`.
    package func isSame(
        _ number: Int, _ one: ObjectBytes, _ other: ObjectBytes
    ) throws(ObjectError) -> Bool {
        if let one = plainValue(number, of: one), let other = plainValue(number, of: other) {
            return one == other
        }
        return try withValue(number, of: one) { one throws(ObjectError) in
            try withValue(number, of: other) { other in one == other }
        }
    }

    /// Lends the value of a property, or `nil` if it is nil.
    ///
    /// - Throws: what `body` throws; `damaged`.
    package func withValue<R>(
        _ number: Int, of object: ObjectBytes, _ body: (ByteView?) throws(ObjectError) -> R
    ) throws(ObjectError) -> R {
        guard let place = places[number] else { return try body(nil) }
        if let part = place.keyPart { return try withKeyPart(part, of: object.key, body) }
        switch object.row[number] {
        case .value(let value): return try body(value)
        case .absent: return try place.zero.lend(body)
        case .unknown: return try (place.initial ?? place.zero).lend(body)
        case .damaged: throw damaged(place.name)
        }
    }

    private func withKeyPart<R>(
        _ part: Int, of key: ByteView, _ body: (ByteView?) throws(ObjectError) -> R
    ) throws(ObjectError) -> R {
        var reader = OrderedReader(key)
        for type in self.key[..<part] where !reader.skip(type) { throw damaged("key") }
        let result = try reader.take(self.key[part]) { value throws(ObjectError) in
            try body(value)
        }
        guard let result else { throw damaged("key") }
        return result
    }

    /// The parts of a key, for messages.
    package func text(ofKey key: ByteView) -> String {
        var reader = OrderedReader(key)
        let parts = self.key.map { type in
            reader.take(type) { Scalar($0, type).map { "\($0.text)" } ?? "?" } ?? "?"
        }
        return parts.joined(separator: ", ")
    }

    package func damaged(_ property: String) -> ObjectError {
        ObjectError(.damaged, "read \(name).\(property): the stored bytes are damaged")
    }
}

extension [UInt8]? {
    /// Lends the bytes, or `nil` if there are none.
    func lend<R>(_ body: (ByteView?) throws(ObjectError) -> R) throws(ObjectError) -> R {
        guard let self else { return try body(nil) }
        return try self.withView { view throws(ObjectError) in try body(view) }
    }
}

extension PropertySchema {
    /// The bytes of the value that the property has if none is stored; nil if that value is nil.
    package var zero: [UInt8]? {
        switch (multiplicity, kind) {
        case (.optional, _), (.one, .link), (.one, .embedded), (.one, .coded), (.one, .sealed),
            (.one, .secret), (.one, .content):
            nil
        case (.one, .scalar(let type)): Scalar.zero(type).bytes
        // An empty collection.
        case (.list, _), (.set, _), (.dictionary, _): []
        }
    }
}
