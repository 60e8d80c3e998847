/// Reads the lines of a JSON lines file.
///
/// Each line that is not blank is one JSON object. The key consists of one or more of its members:
/// a string contributes its unescaped text, and a number or a Boolean its text as written. The
/// value is one member, or by default exactly the bytes of the line without its line end.
package struct JSONLinesReader: RecordReader {
    package let input: ByteReader
    private let fields: [[UInt8]]
    private let keyFieldCount: Int
    private let valueField: Int?
    private var found: [JSONScanner.Value?]

    package init(_ input: ByteReader, fields wanted: RecordFields) {
        precondition(!wanted.key.isEmpty, "JSON lines have no member that is the key by default")
        self.input = input
        var names = wanted.key
        keyFieldCount = names.count
        if let value = wanted.value, !names.contains(value) { names.append(value) }
        valueField = wanted.value.flatMap { names.firstIndex(of: $0) }
        fields = names.map { Array($0.utf8) }
        found = Array(repeating: nil, count: names.count)
    }

    package mutating func read(_ record: inout Record) throws -> Bool {
        while let line = try input.line(at: 0) {
            record.line = input.line
            var content = input[0..<line.end]
            if content.last == UInt8(ascii: "\r") { content.removeLast() }
            guard content.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
                record.value.append(contentsOf: content)
                try take(from: &record)
                input.advance(past: line.next, lines: 1)
                return true
            }
            input.advance(past: line.next, lines: 1)
        }
        return false
    }

    private mutating func take(from record: inout Record) throws {
        try findMembers(in: record.value)
        for index in 0..<keyFieldCount {
            if index > 0 { record.key.append(UInt8(ascii: " ")) }
            record.key.append(contentsOf: try key(of: index, in: record.value))
        }
        if let valueField { record.value = try value(of: valueField, in: record.value) }
    }

    private mutating func findMembers(in line: [UInt8]) throws {
        for index in found.indices { found[index] = nil }
        var scanner = JSONScanner(line)
        do {
            try scanner.scanObject { name, value in try note(name, value, in: line) }
        } catch let fault as JSONScanner.Fault {
            throw input.failure(fault.rawValue + " at byte \(scanner.index + 1) of the line")
        }
    }

    private mutating func note(
        _ name: Range<Int>, _ value: JSONScanner.Value, in line: [UInt8]
    ) throws {
        guard let index = fields.firstIndex(where: { isName(line[name], $0) }) else { return }
        guard found[index] == nil else {
            throw input.failure("the object has the member \(fieldName(index)) twice")
        }
        found[index] = value
    }

    private func isName(_ name: ArraySlice<UInt8>, _ field: [UInt8]) -> Bool {
        guard name.contains(UInt8(ascii: "\\")) else {
            return name.count == field.count && name.elementsEqual(field)
        }
        return JSONText.bytes(name) == field
    }

    private func key(of index: Int, in line: [UInt8]) throws -> ArraySlice<UInt8> {
        switch found[index] {
        case .string(let range): return try text(range, of: index, in: line)
        case .number(let range): return line[range]
        case .other(let range):
            guard ["true", "false"].contains(where: { line[range].elementsEqual($0.utf8) }) else {
                throw input.failure(
                    "the member \(fieldName(index)) is no string, number or truth value")
            }
            return line[range]
        case nil: throw input.failure("the object has no member \(fieldName(index))")
        }
    }

    private func value(of index: Int, in line: [UInt8]) throws -> [UInt8] {
        guard case .other(let range) = found[index] else {
            return Array(try key(of: index, in: line))
        }
        return Array(line[range])
    }

    private func text(
        _ range: Range<Int>, of index: Int, in line: [UInt8]
    ) throws -> ArraySlice<UInt8> {
        guard line[range].contains(UInt8(ascii: "\\")) else { return line[range] }
        guard let bytes = JSONText.bytes(line[range]) else {
            throw input.failure(
                "the member \(fieldName(index)) has half of a surrogate pair")
        }
        return bytes[...]
    }

    private func fieldName(_ index: Int) -> String {
        String(decoding: fields[index], as: UTF8.self)
    }
}
