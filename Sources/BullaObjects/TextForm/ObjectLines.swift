internal import FoundationEssentials

/// Objects as lines of JSON, according to a schema.
///
/// A line is a JSON object whose members are the properties, by name:
///
/// ```json
/// {"number":7,"name":"Enheduanna","joined":"2026-11-27T19:43:39.25Z","company":"Ur"}
/// ```
///
/// | A value | In JSON |
/// |---|---|
/// | nil | `null` |
/// | true or false | `true`, `false` |
/// | an integer | a number; from 2^53 on, a string of digits, which no program rounds |
/// | a floating-point number | a number; `"nan"`, `"inf"`, `"-inf"` |
/// | a date | `"2026-11-27T19:43:39.25Z"`, with all its digits |
/// | text | a string |
/// | bytes | a string of base64 |
/// | a UUID | a string |
/// | a decimal number | a string of digits, or `"nan"` |
/// | a link | its target's key: one value, or an array of a compound key's parts |
/// | a list, a set | an array |
/// | a dictionary, an embedded value | an object |
/// | a JSON value | that value, without blanks |
/// | a sealed value | `{"sealed":COUNT}`: only its length, as the bytes would open nowhere else |
///
/// A date outside the years 1 to 9999, or less than 0.0001 seconds before or after the beginning of
/// 2001, is written as the number of seconds since 2001.
///
/// Every value reads back as the same value, to the last bit, with two exceptions: a sealed value,
/// and a JSON value that is itself `null`, which reads back as nil if the property can be nil. A
/// line can leave out properties: see ``ObjectFields``.
public struct ObjectLines: Sendable {
    /// The schema that describes the objects.
    public let schema: DatabaseSchema
    /// Whether reading skips sealed values, as if the line left them out; otherwise it throws.
    public var leavesOutSealed = false

    /// Lines of objects that a schema describes.
    public init(_ schema: DatabaseSchema) { self.schema = schema }

    /// The line of an object, without a newline at its end.
    ///
    /// - Throws: `invalidModel` if the schema has no such model, or a value does not have the type
    ///   of its property; `damaged` if a JSON value is not valid JSON.
    public func line(of fields: ObjectFields, in model: String) throws(ObjectError) -> [UInt8] {
        let model = try self.model(model)
        var line: [UInt8] = []
        try append(fields.values, model.properties, model.name, to: &line)
        return line
    }

    /// The line of an object with its model's name: `{"Employee":{"number":7}}`.
    ///
    /// - Throws: as ``line(of:in:)``.
    public func namedLine(
        of fields: ObjectFields, in model: String
    ) throws(ObjectError) -> [UInt8] {
        Self.naming(model, try line(of: fields, in: model))
    }

    /// A JSON object whose only member is the line, under the name of the model.
    static func naming(_ model: String, _ line: [UInt8]) -> [UInt8] {
        var text = [UInt8(ascii: "{")]
        JSONString.append(model, to: &text)
        text.append(UInt8(ascii: ":"))
        text += line
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// The object in a line.
    ///
    /// - Throws: `invalidLine` if the line is not an object of the model: the message names the
    ///   property, but not its value; `sealed` if the line has a sealed value, unless
    ///   ``leavesOutSealed`` is true; `invalidModel` if the schema has no such model.
    public func fields(of line: [UInt8], in model: String) throws(ObjectError) -> ObjectFields {
        try LineReader(self, line).object(of: self.model(model))
    }

    /// The object in a line that names its model, and the model's name.
    ///
    /// - Throws: as ``fields(of:in:)``.
    public func namedFields(
        of line: [UInt8]
    ) throws(ObjectError) -> (model: String, fields: ObjectFields) {
        try LineReader(self, line).namedObject()
    }

    /// - Throws: `invalidModel` if there is no model with that name.
    func model(_ name: String) throws(ObjectError) -> ModelSchema {
        guard let model = schema.model(named: name) else {
            throw ObjectError(.invalidModel, "use \(name): the schema has no such model")
        }
        return model
    }
}

/// Writing.
extension ObjectLines {
    /// Twice the depth to which values can be nested, because each embedded value can be in a list.
    private static let depthLimit = 2 * ValueCoding.depthLimit

    private func append(
        _ values: [String: ObjectValue], _ properties: [PropertySchema], _ place: String,
        depth: Int = 0, to line: inout [UInt8]
    ) throws(ObjectError) {
        var separator = UInt8(ascii: "{")
        for property in properties where !property.isRetired {
            guard let value = values[property.name] else { continue }
            line.append(separator)
            separator = UInt8(ascii: ",")
            JSONString.append(property.name, to: &line)
            line.append(UInt8(ascii: ":"))
            try append(value, property, "\(place).\(property.name)", depth: depth, to: &line)
        }
        if separator == UInt8(ascii: "{") { line.append(separator) }
        line.append(UInt8(ascii: "}"))
    }

    /// Appends a property's value.
    func append(
        _ value: ObjectValue, _ property: PropertySchema, _ place: String, depth: Int = 0,
        to line: inout [UInt8]
    ) throws(ObjectError) {
        guard depth < Self.depthLimit else {
            throw ObjectError(.invalidModel, "write \(place): it is nested too deep")
        }
        switch value {
        case .null: line += "null".utf8
        case .scalar(let scalar): scalar.appendJSON(to: &line)
        case .link(let parts): Self.append(parts, to: &line)
        case .list(let values):
            line.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { line.append(UInt8(ascii: ",")) }
                try append(value, property, place, depth: depth + 1, to: &line)
            }
            line.append(UInt8(ascii: "]"))
        case .dictionary(let values):
            try append(values, of: property, place, depth: depth + 1, to: &line)
        case .embedded(let values):
            guard case .embedded(let number) = property.kind, let type = schema.embedded(number)
            else { throw unfit(place) }
            try append(values, type.properties, place, depth: depth + 1, to: &line)
        case .coded(let bytes): try Self.append(json: bytes, place, to: &line)
        case .sealed(let bytes): line += "{\"sealed\":\(bytes.count)}".utf8
        }
    }

    private static func append(_ key: [Scalar], to line: inout [UInt8]) {
        guard key.count != 1 else { return key[0].appendJSON(to: &line) }
        line.append(UInt8(ascii: "["))
        for (index, part) in key.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            part.appendJSON(to: &line)
        }
        line.append(UInt8(ascii: "]"))
    }

    private func append(
        _ values: [String: ObjectValue], of property: PropertySchema, _ place: String, depth: Int,
        to line: inout [UInt8]
    ) throws(ObjectError) {
        let names = values.keys.sorted { Array($0.utf8).lexicographicallyPrecedes($1.utf8) }
        line.append(UInt8(ascii: "{"))
        for (index, name) in names.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            JSONString.append(name, to: &line)
            line.append(UInt8(ascii: ":"))
            try append(values[name] ?? .null, property, place, depth: depth, to: &line)
        }
        line.append(UInt8(ascii: "}"))
    }

    /// Appends, on one line and without white space, JSON that a program has written.
    private static func append(
        json bytes: [UInt8], _ place: String, to line: inout [UInt8]
    ) throws(ObjectError) {
        do throws(ObjectError) {
            var reader = try JSONReader(bytes)
            try reader.value(appendingTo: &line)
            try reader.end()
        } catch {
            throw ObjectError(.damaged, "read \(place): the stored bytes are not valid JSON")
        }
    }

    private func unfit(_ place: String) -> ObjectError {
        ObjectError(.invalidModel, "write \(place): it cannot have a value of that type")
    }
}
