/// Reads the paragraphs of a Debian `Packages` file.
///
/// A paragraph is a run of lines that are not empty. The key consists of some of its fields, by
/// default `Package Version Architecture`, because one package exists in several versions. The
/// value is one field, or by default exactly the bytes of the paragraph, including the newline of
/// its last line.
///
/// - Source: deb822(5).
package struct PackagesReader: RecordReader {
    package let input: ByteReader
    /// The fields of the key, then the field of the value unless it is one of them.
    private let fields: [[UInt8]]
    private let keyFieldCount: Int
    private let valueField: Int?
    /// The range of each wanted field's content in the paragraph.
    private var places: [Range<Int>?]
    /// The wanted field to which the previous line belongs; a continuation line belongs to the same
    /// field.
    private var current: Int?

    static let keyFields = ["Package", "Version", "Architecture"]

    package init(_ input: ByteReader, fields wanted: RecordFields) {
        self.input = input
        var names = wanted.key.isEmpty ? Self.keyFields : wanted.key
        keyFieldCount = names.count
        if let value = wanted.value, !names.contains(value) { names.append(value) }
        valueField = wanted.value.flatMap { names.firstIndex(of: $0) }
        fields = names.map { Array($0.utf8) }
        places = Array(repeating: nil, count: names.count)
    }

    package mutating func read(_ record: inout Record) throws -> Bool {
        try skipEmptyLines()
        guard let paragraph = try findParagraph() else { return false }
        record.line = input.line
        try takeKey(into: &record)
        record.value.append(contentsOf: input[try valueRange(in: paragraph.end)])
        input.advance(past: paragraph.end, lines: paragraph.lines)
        return true
    }

    private func skipEmptyLines() throws {
        while let line = try input.line(at: 0), line.end == 0 {
            input.advance(past: line.next, lines: 1)
        }
    }

    /// Scans the lines up to the next empty one, and records where the wanted fields are.
    private mutating func findParagraph() throws -> (end: Int, lines: Int)? {
        for index in places.indices { places[index] = nil }
        current = nil
        var offset = 0
        var lines = 0
        while let line = try input.line(at: offset), line.end > offset {
            try note(offset..<line.end, line: lines)
            offset = line.next
            lines += 1
        }
        return lines == 0 ? nil : (offset, lines)
    }

    private mutating func note(_ line: Range<Int>, line number: Int) throws {
        guard !isContinued(line) else { return try noteContinued(line, line: number) }
        guard let colon = input.firstIndex(of: UInt8(ascii: ":"), in: line) else {
            throw input.failure("the line has no colon after a field name", line: number)
        }
        current = fields.firstIndex { isName(line.lowerBound..<colon, $0) }
        guard let current else { return }
        guard places[current] == nil else {
            throw input.failure("the paragraph has a field of the key twice", line: number)
        }
        places[current] = trim((colon + 1)..<line.upperBound)
    }

    private func isContinued(_ line: Range<Int>) -> Bool {
        let first = input[line.lowerBound]
        return first == UInt8(ascii: " ") || first == UInt8(ascii: "\t")
    }

    private mutating func noteContinued(_ line: Range<Int>, line number: Int) throws {
        guard number > 0 else { throw input.failure("a paragraph begins with a continuation line") }
        guard let current, let place = places[current] else { return }
        places[current] = place.lowerBound..<line.upperBound
    }

    /// Whether the range contains the name of the field, ignoring case.
    private func isName(_ range: Range<Int>, _ field: [UInt8]) -> Bool {
        range.count == field.count
            && zip(range, field).allSatisfy { Self.lower(input[$0]) == Self.lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    private func trim(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, isBlank(input[first]) {
            range = (first + 1)..<range.upperBound
        }
        while let last = range.last, isBlank(input[last]) { range = range.lowerBound..<last }
        return range
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private func takeKey(into record: inout Record) throws {
        for index in 0..<keyFieldCount {
            if index > 0 { record.key.append(UInt8(ascii: " ")) }
            record.key.append(contentsOf: input[try place(of: index)])
        }
    }

    private func valueRange(in end: Int) throws -> Range<Int> {
        try valueField.map { try place(of: $0) } ?? 0..<end
    }

    private func place(of index: Int) throws -> Range<Int> {
        guard let place = places[index] else {
            let name = String(decoding: fields[index], as: UTF8.self)
            throw input.failure("the paragraph that begins here has no field \(name)")
        }
        return place
    }
}
