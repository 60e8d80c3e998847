package import BullaMemory

/// Encodes values as bytes, and decodes bytes as values, according to a schema.
package struct ValueCoding {
    package let schema: DatabaseSchema

    package init(schema: DatabaseSchema) { self.schema = schema }

    /// How deeply values can be nested.
    package static let depthLimit = 32

    /// Appends the bytes of a property's value; returns `false` if it is nil.
    ///
    /// For a list, a set or a dictionary, nil counts as an empty one.
    ///
    /// - Throws: `invalidModel` if the property cannot have the value.
    package func append(
        _ value: ObjectValue, of property: PropertySchema, to bytes: inout [UInt8]
    ) throws(ObjectError) -> Bool {
        switch (property.multiplicity, value) {
        case (.one, .null), (.optional, .null): return false
        case (.list, .null), (.set, .null), (.dictionary, .null): return true
        case (.one, _), (.optional, _):
            bytes += try element(value, property)
            return true
        case (.list, .list(let values)):
            var list = ElementList()
            for value in values { try element(value, property).withView { list.append($0) } }
            bytes += list.bytes
            return true
        case (.set, .list(let values)):
            var elements: Set<[UInt8]> = []
            for value in values { elements.insert(try element(value, property)) }
            var list = ElementList()
            for element in elements.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                element.withView { list.append($0) }
            }
            bytes += list.bytes
            return true
        case (.dictionary, .dictionary(let values)):
            var list = ElementList()
            let names = values.keys.sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) }
            for name in names {
                list.append(.string(name))
                let value = try element(values[name] ?? .null, property)
                value.withView { list.append($0) }
            }
            bytes += list.bytes
            return true
        default: throw unfit(property)
        }
    }

    /// The value that a property's bytes encode; null if there are no bytes.
    ///
    /// - Throws: `damaged`.
    package func value(
        _ bytes: ByteView?, of property: PropertySchema, depth: Int = 0
    ) throws(ObjectError) -> ObjectValue {
        guard let bytes else { return .null }
        guard depth < Self.depthLimit else { throw damaged(property) }
        switch property.multiplicity {
        case .one, .optional: return try element(bytes, property, depth)
        case .list, .set:
            var (reader, values) = (ElementReader(bytes), [ObjectValue]())
            while let element = reader.next() {
                values.append(try self.element(element, property, depth))
            }
            guard !reader.isDamaged else { throw damaged(property) }
            return .list(values)
        case .dictionary:
            var (reader, values) = (ElementReader(bytes), [String: ObjectValue]())
            while let name = reader.next() {
                guard name.isText, let element = reader.next() else { throw damaged(property) }
                values[name.validText] = try self.element(element, property, depth)
            }
            guard !reader.isDamaged else { throw damaged(property) }
            return .dictionary(values)
        }
    }

    private func element(
        _ value: ObjectValue, _ property: PropertySchema
    ) throws(ObjectError) -> [UInt8] {
        switch (property.kind, value) {
        case (.scalar(let type), .scalar(let scalar)) where scalar.type == type:
            return scalar.bytes
        case (.link(let target), .link(let parts)):
            guard let model = schema.model(target),
                parts.map(\.type) == model.keyTypes
            else { throw unfit(property) }
            return try model.key(of: parts)
        case (.embedded(let number), .embedded(let fields)):
            guard let type = schema.embedded(number) else { throw unfit(property) }
            return try row(fields, type.properties, ObjectLayout(type))
        case (.coded, .coded(let bytes)), (.sealed, .sealed(let bytes)),
            (.secret, .sealed(let bytes)), (.content, .sealed(let bytes)):
            return bytes
        default: throw unfit(property)
        }
    }

    private func element(
        _ bytes: ByteView, _ property: PropertySchema, _ depth: Int
    ) throws(ObjectError) -> ObjectValue {
        switch property.kind {
        case .scalar(let type):
            guard let scalar = Scalar(bytes, type) else { throw damaged(property) }
            return .scalar(scalar)
        case .link(let target):
            guard let parts = schema.model(target)?.parts(ofKey: bytes) else {
                throw damaged(property)
            }
            return .link(parts)
        case .embedded(let number):
            guard let type = schema.embedded(number), let row = Row(bytes), row.isInOrder else {
                throw damaged(property)
            }
            let object = ObjectBytes(key: emptyView, row: row)
            return .embedded(
                try fields(object, type.properties, ObjectLayout(type), depth: depth + 1))
        case .coded: return .coded(bytes.copied())
        case .sealed, .secret, .content: return .sealed(bytes.copied())
        }
    }

    private func unfit(_ property: PropertySchema) -> ObjectError {
        ObjectError(.invalidModel, "write \(property.name): it cannot have a value of that type")
    }

    private func damaged(_ property: PropertySchema) -> ObjectError {
        ObjectError(.damaged, "read \(property.name): the stored bytes are no value of its type")
    }
}

/// Encoding of whole rows.
extension ValueCoding {
    /// The row made of properties given by name; a property that is not given is nil, empty or
    /// zero.
    package func row(
        _ values: [String: ObjectValue], _ properties: [PropertySchema], _ layout: ObjectLayout
    ) throws(ObjectError) -> [UInt8] {
        var draft = RowDraft()
        draft.begin(count: layout.count)
        for property in properties where !layout.isOfKey(property.number) && !property.isRetired {
            var bytes: [UInt8] = []
            guard try append(values[property.name] ?? .null, of: property, to: &bytes) else {
                continue
            }
            bytes.withView { view in
                if !layout.isOmitted(view, property.number) { draft.set(property.number, view) }
            }
        }
        return try draft.bytes(of: layout)
    }

    /// The values of an object's properties, by name.
    package func fields(
        _ object: ObjectBytes, _ properties: [PropertySchema], _ layout: ObjectLayout,
        depth: Int = 0
    ) throws(ObjectError) -> [String: ObjectValue] {
        var values: [String: ObjectValue] = [:]
        for property in properties where !property.isRetired {
            values[property.name] = try layout.withValue(
                property.number, of: object
            ) { bytes throws(ObjectError) in
                try value(bytes, of: property, depth: depth)
            }
        }
        return values
    }
}

/// Encoding of keys.
extension ModelSchema {
    /// The bytes of the key with these parts.
    ///
    /// - Throws: `invalidKey` if the model's key cannot have one of them.
    package func key(of parts: [Scalar]) throws(ObjectError) -> [UInt8] {
        try OrderedKey(parts, keyTypes, of: name).bytes
    }

    /// The parts of a key, or `nil` if the bytes are not a key.
    package func parts(ofKey key: ByteView) -> [Scalar]? {
        var (reader, parts) = (OrderedReader(key), [Scalar]())
        for type in keyTypes {
            guard let part = reader.take(type, { Scalar($0, type) }) ?? nil else { return nil }
            parts.append(part)
        }
        return reader.isAtEnd ? parts : nil
    }
}
