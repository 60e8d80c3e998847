internal import Bulla

/// Reads the rows of a CSV file.
///
/// The first row names the columns. The key is the first column by default. The value is one
/// column, the unchanged row, or the row as a JSON object of strings, in the order of the columns.
/// Fields are separated by commas; a quoted field can contain commas, line ends and doubled quotes.
/// Lines end with LF or CRLF; empty lines are skipped.
///
/// - Source: RFC 4180.
package struct CSVReader: RecordReader {
    package let input: ByteReader
    private let wanted: RecordFields
    private var row = CSVRow()
    private var columns: Columns?

    /// The columns that the first row names.
    private struct Columns {
        /// For each column, the text before its value in the JSON object: a separator, the name, a
        /// colon.
        let prefixes: [[UInt8]]
        let key: [Int]
        let value: Int?
    }

    package init(_ input: ByteReader, fields: RecordFields) {
        self.input = input
        wanted = fields
    }

    package mutating func read(_ record: inout Record) throws -> Bool {
        guard let columns = try columns ?? readColumns() else { return false }
        self.columns = columns
        record.line = try nextLine()
        guard try row.read(input) else { return false }
        guard row.count == columns.prefixes.count else {
            throw input.failure(
                "the row has \(row.count) fields, the header has \(columns.prefixes.count)",
                at: record.line)
        }
        for (place, column) in columns.key.enumerated() {
            if place > 0 { record.key.append(UInt8(ascii: " ")) }
            record.key.append(contentsOf: row[column])
        }
        try takeValue(into: &record, columns)
        return true
    }

    /// Skips empty lines, and returns the line at which the next row begins.
    private func nextLine() throws -> Int {
        while let line = try input.line(at: 0),
            line.end == 0 || (line.end == 1 && input[0] == UInt8(ascii: "\r"))
        {
            input.advance(past: line.next, lines: 1)
        }
        return input.line
    }

    private mutating func readColumns() throws -> Columns? {
        let line = try nextLine()
        guard try row.read(input) else { return nil }
        let names = (0..<row.count).map { Array(row[$0]) }
        guard names.allSatisfy(UTF8Text.isValid), Set(names).count == names.count else {
            throw input.failure(
                "a name in the header is not UTF-8, or occurs twice", at: line)
        }
        return Columns(
            prefixes: names.enumerated().map { Self.prefix($0, name: $1) },
            key: try wanted.key.isEmpty
                ? [0] : wanted.key.map { try index(of: $0, in: names, line) },
            value: try wanted.value.map { try index(of: $0, in: names, line) })
    }

    private static func prefix(_ index: Int, name: [UInt8]) -> [UInt8] {
        var prefix = [UInt8(ascii: index == 0 ? "{" : ",")]
        JSONText.append(name, to: &prefix)
        prefix.append(UInt8(ascii: ":"))
        return prefix
    }

    private func index(of name: String, in names: [[UInt8]], _ line: Int) throws -> Int {
        guard let index = names.firstIndex(of: Array(name.utf8)) else {
            throw input.failure("the header has no column \(name)", at: line)
        }
        return index
    }

    private func takeValue(into record: inout Record, _ columns: Columns) throws {
        if let value = columns.value {
            record.value.append(contentsOf: row[value])
            return
        }
        guard !wanted.keepsRows else {
            record.value.append(contentsOf: row.source)
            return
        }
        guard UTF8Text.isValid(row.text) else {
            throw input.failure(
                "the row is not UTF-8, so it has no JSON; give --value-field", at: record.line)
        }
        for (index, prefix) in columns.prefixes.enumerated() {
            record.value.append(contentsOf: prefix)
            JSONText.append(row[index], to: &record.value)
        }
        record.value.append(UInt8(ascii: "}"))
    }
}

/// One row of a CSV file, split into fields.
struct CSVRow {
    /// The fields' contents, one after the other, without the enclosing quotes or the separating
    /// commas.
    private(set) var text: [UInt8] = []
    /// The row as in the file, without its line end.
    private(set) var source: [UInt8] = []
    /// Where each field ends in `text`.
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// The content of a field.
    subscript(index: Int) -> ArraySlice<UInt8> {
        text[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// Reads the next row of the input.
    ///
    /// - Returns: `false` at the end.
    mutating func read(_ input: ByteReader) throws -> Bool {
        guard let found = try Self.find(in: input) else { return false }
        text.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        try split(input[0..<found.end], of: input)
        input.advance(past: found.next, lines: found.lines)
        return true
    }

    /// The end of the row: the first line end with an even number of quotes before it.
    private static func find(in input: ByteReader) throws -> (end: Int, next: Int, lines: Int)? {
        var offset = 0
        var lines = 0
        var isQuoted = false
        while let line = try input.line(at: offset) {
            lines += 1
            for byte in input[offset..<line.end] where byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            }
            offset = line.next
            guard isQuoted else { return (line.end, line.next, lines) }
        }
        guard lines == 0 else {
            throw input.failure("a quoted field of the row that begins here is not closed")
        }
        return nil
    }

    private mutating func split(_ row: ArraySlice<UInt8>, of input: ByteReader) throws {
        var rest = row
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        source.removeAll(keepingCapacity: true)
        source.append(contentsOf: rest)
        while true {
            let isWell = rest.first == UInt8(ascii: "\"") ? takeQuoted(&rest) : takePlain(&rest)
            guard isWell, rest.isEmpty || rest.first == UInt8(ascii: ",") else {
                let line = row[..<rest.startIndex].count { $0 == UInt8(ascii: "\n") }
                throw input.failure(
                    "a quote stands in the middle of field \(count + 1)", line: line)
            }
            ends.append(text.count)
            guard rest.popFirst() != nil else { return }
        }
    }

    /// Takes an unquoted field, up to the comma; returns `false` if it contains a quote.
    private mutating func takePlain(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
        let field = rest[..<end]
        guard !field.contains(UInt8(ascii: "\"")) else { return false }
        text.append(contentsOf: field)
        rest = rest[end...]
        return true
    }

    /// Takes a quoted field, including its quotes; returns `false` if no quote closes it.
    private mutating func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
        rest.removeFirst()
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            text.append(contentsOf: rest[..<quote])
            rest = rest[(quote + 1)...]
            guard rest.first == UInt8(ascii: "\"") else { return true }
            text.append(UInt8(ascii: "\""))
            rest.removeFirst()
        }
        return false
    }
}
