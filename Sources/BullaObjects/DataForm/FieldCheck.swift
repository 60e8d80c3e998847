internal import BullaMemory

/// Checks properties that are given by name, and adds the missing ones, so that together they make
/// up a row.
///
/// Messages name the property, with the path from the model to it, but contain no value. If the
/// schema has no property of a given name, the message does not repeat that name, but names only
/// the model or the embedded value for which it was given.
struct FieldCheck {
    private let schema: DatabaseSchema

    init(_ schema: DatabaseSchema) { self.schema = schema }

    /// The given properties, with the missing ones filled in.
    ///
    /// - Throws: `invalidModel` if the schema has no property of a given name, a required property
    ///   is missing, or a value has the wrong type; `sealed` if a sealed value is given.
    func whole(
        _ values: [String: ObjectValue], of properties: [PropertySchema], at place: String,
        depth: Int = 0
    ) throws(ObjectError) -> [String: ObjectValue] {
        guard depth < ValueCoding.depthLimit else {
            throw refusal(place, "it is nested too deep")
        }
        var (whole, count) = ([String: ObjectValue](), 0)
        for property in properties where !property.isRetired {
            let place = "\(place).\(property.name)"
            if let value = values[property.name] {
                count += 1
                whole[property.name] = try checked(value, property, place, depth)
            } else {
                whole[property.name] = try first(property, place)
            }
        }
        guard count == values.count else {
            throw refusal(place, "it has no property of a given name")
        }
        return whole
    }

    /// The value that a missing property gets, as ``ObjectFields`` describes.
    private func first(
        _ property: PropertySchema, _ place: String
    ) throws(ObjectError) -> ObjectValue {
        if let initial = property.initial {
            return try initial.withView { bytes throws(ObjectError) in
                try ValueCoding(schema: schema).value(bytes, of: property)
            }
        }
        guard property.multiplicity == .one, !property.isSealed else { return .null }
        guard case .scalar(let type) = property.kind else {
            throw refusal(place, "it is missing, but required")
        }
        return .scalar(.zero(type))
    }

    private func checked(
        _ value: ObjectValue, _ property: PropertySchema, _ place: String, _ depth: Int
    ) throws(ObjectError) -> ObjectValue {
        switch (property.multiplicity, value) {
        case (_, .sealed):
            throw ObjectError(
                .sealed,
                "write \(place): it is sealed, and only a program with the vault can seal it")
        case (.one, .null) where !property.isSealed: throw refusal(place, "it cannot be nil")
        case (_, .null): return .null
        case (.one, _), (.optional, _): return try element(value, property, place, depth)
        case (.list, .list(let values)), (.set, .list(let values)):
            return .list(
                try values.map { value throws(ObjectError) in
                    try element(value, property, place, depth)
                })
        case (.dictionary, .dictionary(let values)):
            var checked: [String: ObjectValue] = [:]
            for (name, value) in values {
                checked[name] = try element(value, property, place, depth)
            }
            return .dictionary(checked)
        default: throw unfit(place)
        }
    }

    private func element(
        _ value: ObjectValue, _ property: PropertySchema, _ place: String, _ depth: Int
    ) throws(ObjectError) -> ObjectValue {
        switch (property.kind, value) {
        case (.scalar(let type), .scalar(let scalar)) where scalar.type == type: return value
        case (.link(let target), .link(let parts))
        where parts.map(\.type) == schema.model(target)?.keyTypes:
            guard !parts.contains(where: \.isNaN) else {
                throw refusal(place, "NaN cannot be in a key")
            }
            return value
        case (.embedded(let number), .embedded(let values)):
            guard let type = schema.embedded(number) else { throw unfit(place) }
            return .embedded(
                try whole(values, of: type.properties, at: place, depth: depth + 1))
        case (.coded, .coded(let bytes)):
            do throws(ObjectError) {
                var (reader, text) = (try JSONReader(bytes), [UInt8]())
                try reader.value(appendingTo: &text)
                try reader.end()
            } catch { throw refusal(place, "it is not valid JSON") }
            return value
        default: throw unfit(place)
        }
    }

    private func unfit(_ place: String) -> ObjectError {
        refusal(place, "it cannot have a value of that type")
    }

    private func refusal(_ place: String, _ why: String) -> ObjectError {
        ObjectError(.invalidModel, "write \(place): \(why)")
    }
}

extension PropertySchema {
    /// Whether a vault seals the property.
    var isSealed: Bool {
        switch kind {
        case .sealed, .secret, .content: true
        case .scalar, .link, .embedded, .coded: false
        }
    }
}
