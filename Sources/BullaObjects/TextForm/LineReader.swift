/// Reads the object in a line, as a schema describes it.
///
/// The line can be anything. No message contains text from it.
struct LineReader {
    private let lines: ObjectLines
    private let line: [UInt8]
    /// The path to the value that is being read: the model's name, then the names of properties.
    private var place: [String] = []
    private var depth = 0

    init(_ lines: ObjectLines, _ line: [UInt8]) { (self.lines, self.line) = (lines, line) }

    /// Reads the line as an object of a model.
    func object(of model: ModelSchema) throws(ObjectError) -> ObjectFields {
        try whole { (reader, json) throws(ObjectError) in
            reader.place = [model.name]
            return ObjectFields(try reader.members(model.properties, &json))
        }
    }

    /// Reads the line as an object under the name of its model.
    func namedObject() throws(ObjectError) -> (model: String, fields: ObjectFields) {
        try whole { (reader, json) throws(ObjectError) in
            try json.open("{")
            guard let name = try json.member(), let model = reader.lines.schema.model(named: name)
            else { throw JSONReader.refusal("it does not begin with the name of a model") }
            reader.place = [model.name]
            let fields = ObjectFields(try reader.members(model.properties, &json))
            reader.place = []
            guard try json.member() == nil else {
                throw JSONReader.refusal("it has more than one member")
            }
            return (model.name, fields)
        }
    }

    private func whole<R>(
        _ body: (inout LineReader, inout JSONReader) throws(ObjectError) -> R
    ) throws(ObjectError) -> R {
        var reader = self
        do throws(ObjectError) {
            var json = try JSONReader(reader.line)
            let result = try body(&reader, &json)
            reader.place = []
            try json.end()
            return result
        } catch {
            let place = reader.place.joined(separator: ".")
            throw ObjectError(error.code, (place.isEmpty ? "" : "\(place): ") + error.message)
        }
    }

    private mutating func members(
        _ properties: [PropertySchema], _ json: inout JSONReader
    ) throws(ObjectError) -> [String: ObjectValue] {
        guard json.peek() == .object else { throw JSONReader.refusal("an object is missing") }
        try json.open("{")
        var values: [String: ObjectValue] = [:]
        while let name = try json.member() {
            guard let property = properties.first(where: { $0.name == name && !$0.isRetired })
            else { throw JSONReader.refusal("it has no property of a name in the line") }
            place.append(property.name)
            guard values[name] == nil else { throw JSONReader.refusal("it occurs twice") }
            values[name] =
                try property.isSealed
                ? sealed(&json) : value(of: property, &json)
            place.removeLast()
        }
        return values
    }

    /// Reads `null` as the value of a sealed property; skips any other value, and returns `nil` for
    /// it.
    ///
    /// The skipped value would be of no use: a sealed value opens only in the place for which it
    /// was sealed.
    ///
    /// - Throws: `sealed` for a value other than `null`, unless ``ObjectLines/leavesOutSealed`` is
    ///   true.
    private func sealed(_ json: inout JSONReader) throws(ObjectError) -> ObjectValue? {
        guard !json.takeWord("null") else { return .null }
        guard lines.leavesOutSealed else {
            throw ObjectError(
                .sealed, "it is sealed, and only a program with the vault can seal it")
        }
        var passed: [UInt8] = []
        try json.value(appendingTo: &passed)
        return nil
    }

    private mutating func value(
        of property: PropertySchema, _ json: inout JSONReader
    ) throws(ObjectError) -> ObjectValue {
        // If a property holds JSON and cannot be nil, `null` is the JSON that it holds.
        let isJSON = property.kind == .coded && property.multiplicity == .one
        if !isJSON, json.takeWord("null") { return .null }
        switch property.multiplicity {
        case .one, .optional: return try element(property.kind, &json)
        case .list, .set:
            guard json.peek() == .array else { throw JSONReader.refusal("an array is missing") }
            var values: [ObjectValue] = []
            try json.open("[")
            while try json.element() { values.append(try element(property.kind, &json)) }
            return .list(values)
        case .dictionary:
            guard json.peek() == .object else { throw JSONReader.refusal("an object is missing") }
            var values: [String: ObjectValue] = [:]
            try json.open("{")
            while let name = try json.member() {
                guard values[name] == nil else { throw JSONReader.refusal("a key occurs twice") }
                values[name] = try element(property.kind, &json)
            }
            return .dictionary(values)
        }
    }

    private mutating func element(
        _ kind: PropertySchema.Kind, _ json: inout JSONReader
    ) throws(ObjectError) -> ObjectValue {
        switch kind {
        case .scalar(let type): return .scalar(try scalar(type, &json))
        case .link(let target): return .link(try key(of: target, &json))
        case .embedded(let number):
            guard let type = lines.schema.embedded(number), depth < ValueCoding.depthLimit else {
                throw JSONReader.refusal("it is nested too deep")
            }
            depth += 1
            defer { depth -= 1 }
            return .embedded(try members(type.properties, &json))
        case .coded:
            var bytes: [UInt8] = []
            try json.value(appendingTo: &bytes)
            return .coded(bytes)
        case .sealed, .secret, .content: return .null
        }
    }

    private func scalar(
        _ type: ScalarType, _ json: inout JSONReader
    ) throws(ObjectError) -> Scalar {
        let scalar: Scalar? =
            switch json.peek() {
            case .string: Scalar(string: try json.string(), type)
            case .number: Scalar(number: try json.number(), type)
            case .word where type == .boolean:
                json.takeWord("true")
                    ? .boolean(true) : json.takeWord("false") ? .boolean(false) : nil
            case .object, .array, .word, nil: nil
            }
        guard let scalar else { throw JSONReader.refusal("it is not \(type.phrase)") }
        return scalar
    }

    private func key(
        of target: Int, _ json: inout JSONReader
    ) throws(ObjectError) -> [Scalar] {
        let types = lines.schema.model(target)?.keyTypes ?? []
        guard types.count != 1 else { return [try scalar(types[0], &json)] }
        guard json.peek() == .array else { throw JSONReader.refusal("an array is missing") }
        try json.open("[")
        var parts: [Scalar] = []
        while try json.element() {
            guard parts.count < types.count else {
                throw JSONReader.refusal("its key has too many parts")
            }
            parts.append(try scalar(types[parts.count], &json))
        }
        guard parts.count == types.count else {
            throw JSONReader.refusal("its key has too few parts")
        }
        return parts
    }
}
