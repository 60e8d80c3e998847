import BullaRecords
import BullaText

extension FieldReader {
    func value(
        _ value: JSONValue, _ kind: FieldKind, of field: String
    ) throws(RecordError) -> RecordValue {
        guard kind.isList else { return try one(value, kind.element, field) }
        var elements: [RecordValue] = []
        elements.reserveCapacity(value.count)
        for element in try value.asList() {
            elements.append(try one(element, kind.element, field))
        }
        return .list(kind.element, elements)
    }

    private func one(
        _ value: JSONValue, _ kind: ValueKind, _ field: String
    ) throws(RecordError) -> RecordValue {
        switch kind {
        case .string: .string(try value.asText(isBounded: false))
        case .int64: .int64(try Self.int64(number(value), at: value))
        case .double: .double(try double(number(value), at: value))
        case .timestamp: .timestamp(try Self.timestamp(number(value), at: value))
        case .bytes: .bytes(try bytes(value))
        case .location: .location(try Location(value))
        case .reference: .reference(try RecordReference(value, in: zone, context))
        case .asset: .asset(try context.asset(WireAsset(value), assetPlace(field)))
        }
    }

    private func assetPlace(_ field: String) -> AssetPlace {
        AssetPlace(field, of: recordType, named: recordName, in: zone)
    }

    /// The number in a value; the number may be in quotes if the request says so.
    private func number(_ value: JSONValue) throws(RecordError) -> JSONValue {
        guard numbersAsStrings, let text = value.stringBytes else { return value }
        guard let number = try? JSONText.read(text), number.kind == .number,
            number.numberText?.utf8.count == text.count
        else { throw value.refusal("a number in quotes", found: "another string") }
        return number
    }

    private static func int64(
        _ number: JSONValue, at value: JSONValue
    ) throws(RecordError) -> Int64 {
        guard number.kind == .number else { throw value.refusal("an integer") }
        guard let integer = number.int64 else {
            throw value.refusal("an integer of 64 bits", found: "another number")
        }
        return integer
    }

    /// The nearest integer to a number of milliseconds; clients with a finer clock send a fraction.
    static func timestamp(
        _ number: JSONValue, at value: JSONValue
    ) throws(RecordError) -> Int64 {
        if !number.isInteger, let double = number.double,
            let nearest = Int64(exactly: double.rounded())
        {
            return nearest
        }
        return try int64(number, at: value)
    }

    private func double(
        _ number: JSONValue, at value: JSONValue
    ) throws(RecordError) -> Double {
        guard let double = number.double else { throw value.refusal("a number") }
        return double
    }

    private func bytes(_ value: JSONValue) throws(RecordError) -> [UInt8] {
        guard var text = value.stringBytes else { throw value.refusal("base64 in a string") }
        // Some clients break the base64 into lines, as in mail (RFC 2045, section 6.8).
        text.removeAll { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard let bytes = Base64.bytes(text) else {
            throw value.refusal("base64 with its padding", found: "another string")
        }
        return bytes
    }
}

extension FieldReader {
    /// Infers the kind of a value from the value itself, if neither the request nor the schema
    /// gives it.
    func inferred(_ value: JSONValue) throws(RecordError) -> FieldKind {
        guard value.kind == .array else { return FieldKind(try inferredOne(value)) }
        var found: ValueKind?
        for element in value.elements {
            let kind = try inferredOne(element)
            switch (found, kind) {
            case (nil, _), (.int64, .double): found = kind
            case (.double, .int64): break
            case (let found, _):
                guard found == kind else {
                    throw element.refusal("elements of one kind", found: "two kinds")
                }
            }
        }
        guard let found else { throw value.refusal("a type", found: "an empty list without one") }
        return FieldKind(found, isList: true)
    }

    private func inferredOne(_ value: JSONValue) throws(RecordError) -> ValueKind {
        switch value.kind {
        case .string: return .string
        case .number: return value.isInteger ? .int64 : .double
        case .object:
            if value["recordName"] != nil { return .reference }
            if value["latitude"] != nil { return .location }
            if value["fileChecksum"] != nil || value["receipt"] != nil { return .asset }
            throw value.refusal("a reference, a location or an asset")
        case .null, .true, .false, .array: throw value.refusal("the value of a field")
        }
    }
}
