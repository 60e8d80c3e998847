internal import FoundationEssentials

/// Objects as lines of JSON, in the words of a schema.
///
/// A line is an object whose members are the properties, by their names:
///
/// ```json
/// {"number":7,"name":"Enheduanna","joined":"2026-11-27T19:43:39.25Z","company":"Ur"}
/// ```
///
/// | A value | In JSON |
/// |---|---|
/// | nil | `null` |
/// | true or false | `true`, `false` |
/// | a whole number | a number; from 2^53 on, which others would round, a string of digits |
/// | a number with a floating point | a number; `"nan"`, `"inf"`, `"-inf"` |
/// | a moment | `"2026-11-27T19:43:39.25Z"`, with all digits that it has |
/// | text | a string |
/// | bytes | a string of base64 |
/// | a UUID | a string |
/// | a decimal number | a string of digits, or `"nan"` |
/// | a link | the key that it is: one value, or an array of a compound key's parts |
/// | a list, a set | an array |
/// | a dictionary, an embedded value | an object |
/// | a value in JSON of its own | as it is, without blanks |
/// | what is sealed | `{"sealed":BYTES}`, how many bytes it has: it cannot leave its place |
///
/// A moment outside of the years 1 to 9999, or next to the first one of 2001, is a number: its
/// seconds since that.
///
/// All but what is sealed reads back as the same value, to the last bit. A line may leave
/// properties out: see ``ObjectFields``. A value in JSON that is itself `null` reads back as nil
/// where that is possible.
public struct ObjectLines: Sendable {
    /// Whose words they are.
    public let schema: DatabaseSchema
    /// Whether reading passes what was sealed, as if the line left it out; otherwise it throws.
    public var leavesOutSealed = false

    /// Lines of objects that a schema describes.
    public init(_ schema: DatabaseSchema) { self.schema = schema }

    /// The line of an object, without a newline at its end.
    ///
    /// - Throws: `invalidModel` where the schema has no such model, or a property a value of
    ///   another type; `damaged` where a value in JSON is none.
    public func line(of fields: ObjectFields, in model: String) throws(ObjectError) -> [UInt8] {
        let model = try self.model(model)
        var line: [UInt8] = []
        try append(fields.values, model.properties, model.name, to: &line)
        return line
    }

    /// The line of an object that names its model, too: `{"Employee":{"number":7}}`.
    ///
    /// - Throws: as ``line(of:in:)``.
    public func namedLine(
        of fields: ObjectFields, in model: String
    ) throws(ObjectError) -> [UInt8] {
        Self.naming(model, try line(of: fields, in: model))
    }

    /// A line that names the model of another line.
    static func naming(_ model: String, _ line: [UInt8]) -> [UInt8] {
        var text = [UInt8(ascii: "{")]
        JSONString.append(model, to: &text)
        text.append(UInt8(ascii: ":"))
        text += line
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// The object of a line.
    ///
    /// - Throws: `invalidLine` where the line is no object of the model, with the name of the
    ///   property and without its value; `sealed` where it has what was sealed; `invalidModel`
    ///   where the schema has no such model.
    public func fields(of line: [UInt8], in model: String) throws(ObjectError) -> ObjectFields {
        try LineReader(self, line).object(of: self.model(model))
    }

    /// The object of a line that names its model, and that name.
    ///
    /// - Throws: as ``fields(of:in:)``.
    public func namedFields(
        of line: [UInt8]
    ) throws(ObjectError) -> (model: String, fields: ObjectFields) {
        try LineReader(self, line).namedObject()
    }

    /// - Throws: `invalidModel` where there is none of that name.
    func model(_ name: String) throws(ObjectError) -> ModelSchema {
        guard let model = schema.model(named: name) else {
            throw ObjectError(.invalidModel, "use \(name): the schema has no such model")
        }
        return model
    }
}

/// Writing.
extension ObjectLines {
    /// Each embedded value may lie in a list.
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

    /// Appends what a property holds.
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

    /// Appends JSON that a program has written: on one line, whatever blanks it had.
    private static func append(
        json bytes: [UInt8], _ place: String, to line: inout [UInt8]
    ) throws(ObjectError) {
        do throws(ObjectError) {
            var reader = try JSONReader(bytes)
            try reader.value(appendingTo: &line)
            try reader.end()
        } catch {
            throw ObjectError(.damaged, "read \(place): what is stored is no JSON")
        }
    }

    private func unfit(_ place: String) -> ObjectError {
        ObjectError(.invalidModel, "write \(place): it cannot have a value of that type")
    }
}
