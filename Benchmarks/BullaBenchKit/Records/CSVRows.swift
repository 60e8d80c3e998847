/// One row: its fields, unquoted, and its text as it stands in the file.
struct CSVRow {
    var line: Int
    var fields: [[UInt8]]
    var text: ArraySlice<UInt8>
}

/// The rows of an input; empty lines are passed over.
struct CSVRows {
    private let input: [UInt8]
    private let name: String
    private var place = 0
    private var line = 1

    init(_ input: [UInt8], name: String) {
        self.input = input
        self.name = name
    }

    mutating func next() throws -> CSVRow? {
        skipEmptyLines()
        guard place < input.count else { return nil }
        let (start, firstLine) = (place, line)
        var fields = [try field()]
        while place < input.count, input[place] == UInt8(ascii: ",") {
            place += 1
            fields.append(try field())
        }
        guard place == input.count || isLineBreak else {
            throw BenchError(.input, "read \(name): line \(line) has text behind a closing quote")
        }
        let end = place
        skipLineBreak()
        return CSVRow(line: firstLine, fields: fields, text: input[start..<end])
    }

    private mutating func field() throws -> [UInt8] {
        guard place < input.count, input[place] == UInt8(ascii: "\"") else { return bareField() }
        return try quotedField()
    }

    private mutating func bareField() -> [UInt8] {
        let start = place
        while place < input.count, input[place] != UInt8(ascii: ","), !isLineBreak { place += 1 }
        return Array(input[start..<place])
    }

    private mutating func quotedField() throws -> [UInt8] {
        let firstLine = line
        var bytes: [UInt8] = []
        place += 1
        while place < input.count {
            if input[place] == UInt8(ascii: "\"") {
                place += 1
                guard place < input.count, input[place] == UInt8(ascii: "\"") else { return bytes }
            }
            if input[place] == UInt8(ascii: "\n") { line += 1 }
            bytes.append(input[place])
            place += 1
        }
        throw BenchError(
            .input, "read \(name): the quote opened in line \(firstLine) is not closed")
    }

    private var isLineBreak: Bool {
        input[place] == UInt8(ascii: "\n")
            || (input[place] == UInt8(ascii: "\r") && place + 1 < input.count
                && input[place + 1] == UInt8(ascii: "\n"))
    }

    private mutating func skipEmptyLines() {
        while place < input.count, isLineBreak { skipLineBreak() }
    }

    private mutating func skipLineBreak() {
        guard place < input.count else { return }
        if input[place] == UInt8(ascii: "\r") { place += 1 }
        place += 1
        line += 1
    }
}
