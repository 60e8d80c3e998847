internal import Bulla

/// Reads the rows of a CSV file.
///
/// The first row names the columns. The key is the first column unless it is said otherwise; the
/// value is the row as a JSON object of strings, in the order of the columns, or one column of it.
/// Fields are separated by commas; a quoted one may hold commas, line ends and doubled quotes.
/// Lines end with LF or CRLF; empty lines are passed over.
///
/// - Source: RFC 4180.
struct CSVReader: RecordReader {
    let input: ByteReader
    private let wanted: RecordFields
    private var row = CSVRow()
    private var columns: Columns?

    /// What the first row says.
    private struct Columns {
        /// What stands before each value in the JSON object: a separator, the name, a colon.
        let prefixes: [[UInt8]]
        let key: [Int]
        let value: Int?
    }

    init(_ input: ByteReader, fields: RecordFields) {
        self.input = input
        wanted = fields
    }

    mutating func read(_ record: inout Record) throws -> Bool {
        guard let columns = try columns ?? readColumns() else { return false }
        self.columns = columns
        record.line = try nextLine()
        guard try row.read(input) else { return false }
        guard row.count == columns.prefixes.count else {
            throw failure(
                "the row has \(row.count) fields, the header has \(columns.prefixes.count)",
                line: record.line)
        }
        for (place, column) in columns.key.enumerated() {
            if place > 0 { record.key.append(UInt8(ascii: " ")) }
            record.key.append(contentsOf: row[column])
        }
        try takeValue(into: &record, columns)
        return true
    }

    /// Passes over empty lines, and says at which line the next row begins.
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
            throw failure("a name in the header is not UTF-8, or stands there twice", line: line)
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
            throw failure("the header has no column \(name)", line: line)
        }
        return index
    }

    private func takeValue(into record: inout Record, _ columns: Columns) throws {
        if let value = columns.value {
            record.value.append(contentsOf: row[value])
            return
        }
        guard UTF8Text.isValid(row.text) else {
            throw failure(
                "the row is not UTF-8, so it has no JSON; give --value-field", line: record.line)
        }
        for (index, prefix) in columns.prefixes.enumerated() {
            record.value.append(contentsOf: prefix)
            JSONText.append(row[index], to: &record.value)
        }
        record.value.append(UInt8(ascii: "}"))
    }

    private func failure(_ message: String, line: Int) -> CommandError {
        CommandError(.data, "\(input.file.name): line \(line): \(message)")
    }
}
