internal import Bulla

/// Reads one JSON object and finds its members.
///
/// It accepts exactly what the standard accepts, up to a depth limit, so that no input makes it
/// recurse without bound. It stores only positions, not contents.
///
/// - Source: RFC 8259.
struct JSONScanner {
    /// More than any record needs, but far less than the stack allows.
    static let depthLimit = 512

    /// The value of a member, with its position.
    enum Value {
        /// The range of the text between the quotes, still escaped.
        case string(Range<Int>)
        case number(Range<Int>)
        case other(Range<Int>)
    }

    /// An error, without the offending text, which may be secret.
    enum Fault: String, Error {
        case notObject = "not a JSON object"
        case notUTF8 = "not UTF-8"
        case syntax = "malformed JSON"
        case string = "malformed JSON string"
        case number = "malformed JSON number"
        case tooDeep = "JSON nested deeper than 512"
        case trailing = "something after the JSON object"
        case cut = "the JSON object is not closed"
    }

    let bytes: [UInt8]
    private(set) var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the whole text as one object; passes to `visit` the range of each member's name, and
    /// the member's value.
    mutating func scanObject(_ visit: (Range<Int>, Value) throws -> Void) throws {
        guard UTF8Text.isValid(bytes) else { throw Fault.notUTF8 }
        skipSpace()
        guard peek() == UInt8(ascii: "{") else { throw Fault.notObject }
        try scanMembers(depth: 1, visit)
        skipSpace()
        guard index == bytes.count else { throw Fault.trailing }
    }

    private mutating func scanMembers(
        depth: Int, _ visit: (Range<Int>, Value) throws -> Void
    ) throws {
        try scanList(closing: UInt8(ascii: "}")) { scanner in
            guard scanner.peek() == UInt8(ascii: "\"") else { throw scanner.fault(.syntax) }
            let name = try scanner.scanString()
            scanner.skipSpace()
            try scanner.expect(UInt8(ascii: ":"))
            scanner.skipSpace()
            try visit(name, try scanner.scanValue(depth: depth))
        }
    }

    /// Reads an opening bracket, items separated by commas, and the closing bracket.
    private mutating func scanList(
        closing: UInt8, _ item: (inout JSONScanner) throws -> Void
    ) throws {
        index += 1
        skipSpace()
        if peek() == closing {
            index += 1
            return
        }
        while true {
            skipSpace()
            try item(&self)
            skipSpace()
            guard peek() != closing else { break }
            try expect(UInt8(ascii: ","))
        }
        index += 1
    }

    private mutating func scanValue(depth: Int) throws -> Value {
        guard depth < Self.depthLimit else { throw Fault.tooDeep }
        let start = index
        switch peek() {
        case UInt8(ascii: "\""): return .string(try scanString())
        case let byte? where byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte):
            return .number(try scanNumber())
        case UInt8(ascii: "{"): try scanMembers(depth: depth + 1) { _, _ in }
        case UInt8(ascii: "["):
            try scanList(closing: UInt8(ascii: "]")) { _ = try $0.scanValue(depth: depth + 1) }
        default: try scanWord()
        }
        return .other(start..<index)
    }

    /// Reads a string, and returns the range between its quotes.
    private mutating func scanString() throws -> Range<Int> {
        index += 1
        let start = index
        while let byte = peek(), byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw Fault.string }
            index += 1
            if byte == UInt8(ascii: "\\") { try scanEscape() }
        }
        try expect(UInt8(ascii: "\""))
        return start..<(index - 1)
    }

    private mutating func scanEscape() throws {
        guard let letter = peek() else { throw Fault.cut }
        index += 1
        if letter == UInt8(ascii: "u") {
            guard index + 4 <= bytes.count,
                bytes[index..<(index + 4)].allSatisfy({ Hex.value(of: $0) != nil })
            else { throw Fault.string }
            index += 4
        } else if JSONText.meaning(ofEscape: letter) == nil {
            throw Fault.string
        }
    }

    private mutating func scanNumber() throws -> Range<Int> {
        let start = index
        skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try scanDigits() }
        if skip(UInt8(ascii: ".")) { try scanDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
            try scanDigits()
        }
        return start..<index
    }

    private mutating func scanDigits() throws {
        let start = index
        while let byte = peek(), (0x30...0x39).contains(byte) { index += 1 }
        guard index > start else { throw Fault.number }
    }

    private mutating func scanWord() throws {
        for word in ["true", "false", "null"] where bytes[index...].starts(with: word.utf8) {
            index += word.utf8.count
            return
        }
        throw fault(.syntax)
    }

    private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    @discardableResult
    private mutating func skip(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws {
        guard skip(byte) else { throw fault(.syntax) }
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            index += 1
        }
    }

    /// The error to throw: `fault`, or `cut` if the text has ended.
    private func fault(_ fault: Fault) -> Fault { index >= bytes.count ? .cut : fault }
}
