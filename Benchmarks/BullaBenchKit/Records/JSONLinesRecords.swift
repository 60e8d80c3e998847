internal import Foundation

/// One JSON object on each line: its key is one of its fields, its value the line.
///
/// - Source: <https://jsonlines.org>; empty lines are passed over.
package enum JSONLinesRecords {
    package static let defaultKeyField = "id"

    /// - Parameter keyField: the field that holds the keys, a string, number or truth value.
    package static func table(
        _ input: [UInt8], keyField: String?, name: String
    ) throws -> RecordTable {
        let field = keyField ?? defaultKeyField
        var table = RecordTable()
        var lines = InputLines(input)
        while let line = lines.next() {
            guard !line.isEmpty else { continue }
            let key = try key(of: line, field, "read \(name): line \(lines.number)")
            table.append(
                key: { $0.append(contentsOf: key.utf8) }, value: { $0.append(contentsOf: line) })
        }
        return table
    }

    private static func key(
        of line: ArraySlice<UInt8>, _ field: String, _ place: String
    ) throws -> String {
        guard let object = try? JSONDecoder().decode([String: JSONScalar].self, from: Data(line))
        else { throw BenchError(.input, "\(place) is not a JSON object") }
        guard let key = object[field]?.text else {
            throw BenchError(.input, "\(place) has no usable field \(field)")
        }
        guard !key.isEmpty else { throw BenchError(.input, "\(place) has an empty key") }
        return key
    }
}

/// The text of a string, number or truth value; nil for everything else that a field may be.
private struct JSONScalar: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        text =
            (try? value.decode(String.self))
            ?? (try? value.decode(Int64.self)).map { "\($0)" }
            ?? (try? value.decode(Double.self)).map { "\($0)" }
            ?? (try? value.decode(Bool.self)).map { "\($0)" }
    }
}
