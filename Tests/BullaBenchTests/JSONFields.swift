import Foundation
import Testing

/// A mutable JSON object.
final class JSONFields {
    private var values: [String: Any]

    init(json: [UInt8]) throws {
        let object = try JSONSerialization.jsonObject(with: Data(json))
        values = try #require(object as? [String: Any])
    }

    private init(_ value: Any?) throws {
        values = try #require(value as? [String: Any])
    }

    subscript(name: String) -> Any? {
        get { values[name] }
        set { values[name] = newValue }
    }

    func json() throws -> [UInt8] { Array(try JSONSerialization.data(withJSONObject: values)) }

    /// Changes the object in a field.
    func edit(_ name: String, _ change: (JSONFields) throws -> Void) throws {
        let inner = try JSONFields(values[name])
        try change(inner)
        values[name] = inner.values
    }

    /// Changes the first object of a list.
    func editFirst(_ name: String, _ change: (JSONFields) throws -> Void) throws {
        var list = try #require(values[name] as? [Any])
        let inner = try JSONFields(list.first)
        try change(inner)
        list[0] = inner.values
        values[name] = list
    }

    /// Changes the first row of a result.
    func editRow(_ change: (JSONFields) throws -> Void) throws {
        try editFirst("rows", change)
    }

    /// Changes the first contender's figures in the first row.
    func editFigures(_ change: (JSONFields) throws -> Void) throws {
        try editRow { try $0.editFirst("figures", change) }
    }
}

/// Makes a value from its fields in a result file; missing fields are nil.
func fromFields<Value: Decodable>(_ fields: KeyValuePairs<String, any Encodable>) throws -> Value {
    let pieces = try fields.map { name, value in
        "\"\(name)\":" + String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    let text = "{" + pieces.joined(separator: ",") + "}"
    return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
}
