/// One row of a CSV file, without its quotes.
struct CSVRow {
    /// The fields, one after the other.
    private(set) var text: [UInt8] = []
    /// Where each field ends in the text.
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// The content of a field.
    subscript(index: Int) -> ArraySlice<UInt8> {
        text[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// Reads the row that begins the input.
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

    /// Where the row ends: at the first line end with an even number of quotes before it.
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

    /// Takes a field without quotes, up to the comma.
    private mutating func takePlain(_ rest: inout ArraySlice<UInt8>) -> Bool {
        let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
        let field = rest[..<end]
        guard !field.contains(UInt8(ascii: "\"")) else { return false }
        text.append(contentsOf: field)
        rest = rest[end...]
        return true
    }

    /// Takes a quoted field with its quotes.
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
