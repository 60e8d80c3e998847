internal import BullaMemory

/// Splits a schema text into tokens.
///
/// It goes through the text once, and trusts no byte.
struct SchemaTextLexer {
    /// A token of the text.
    enum Token {
        /// A keyword, or a name.
        case word(String)
        /// A quoted name, without its quotes.
        case quoted(String)
        /// A punctuation mark.
        case mark(UInt8)
        case end
    }

    private let view: ByteView
    private var offset = 0
    private var line = 1
    /// Where the current line begins.
    private var lineOffset = 0

    /// The current token.
    private(set) var token: Token = .end
    /// The position of the current token.
    private var tokenLine = 1
    private var tokenColumn = 1

    init(_ view: ByteView) throws(SchemaTextFault) {
        self.view = view
        try advance()
    }

    /// Advances to the next token.
    mutating func advance() throws(SchemaTextFault) {
        try skipBlanks()
        mark()
        guard let byte = byte() else {
            token = .end
            return
        }
        if isWordStart(byte) {
            token = .word(try word())
        } else if byte == UInt8(ascii: "\"") {
            token = .quoted(try quoted())
        } else {
            offset += 1
            token = .mark(byte)
        }
    }

    /// An error for an unexpected token.
    func fault(expected: String) -> SchemaTextFault {
        fault(expected: expected, found: Self.told(token))
    }

    private func fault(expected: String, found: String) -> SchemaTextFault {
        SchemaTextFault(line: tokenLine, column: tokenColumn, expected: expected, found: found)
    }

    private static func told(_ token: Token) -> String {
        switch token {
        case .word(let text): "'\(text)'"
        case .quoted(let text): "'\"\(text)\"'"
        case .mark(let byte) where isVisible(byte): "'\(Character(Unicode.Scalar(byte)))'"
        case .mark(let byte): "the byte \(byte)"
        case .end: "the end"
        }
    }

    /// Whether a name can be quoted: 1 to 255 visible ASCII characters, without a quote.
    static func canQuote(_ name: String) -> Bool {
        (1...nameByteLimit).contains(name.utf8.count)
            && name.utf8.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "\"") }
    }

    private static let nameByteLimit = NameRules.typeNameByteLimit

    private static func isVisible(_ byte: UInt8) -> Bool { (33...126).contains(byte) }
}

extension SchemaTextLexer {
    /// The byte at a distance from the current position; `nil` after the end.
    private func byte(_ distance: Int = 0) -> UInt8? {
        offset + distance < view.byteCount ? view.load(UInt8.self, at: offset + distance) : nil
    }

    /// Sets the token's position to the current one.
    private mutating func mark() {
        tokenLine = line
        tokenColumn = offset - lineOffset + 1
    }

    private mutating func skipBlanks() throws(SchemaTextFault) {
        while let byte = byte() {
            switch (byte, self.byte(1)) {
            case (UInt8(ascii: "\n"), _): passLine()
            case (UInt8(ascii: " "), _), (UInt8(ascii: "\t"), _), (UInt8(ascii: "\r"), _):
                offset += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "-"), UInt8(ascii: "-")):
                while let next = self.byte(), next != UInt8(ascii: "\n") { offset += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")): try skipComment()
            default: return
            }
        }
    }

    private mutating func passLine() {
        offset += 1
        line += 1
        lineOffset = offset
    }

    private mutating func skipComment() throws(SchemaTextFault) {
        mark()
        offset += 2
        while let byte = byte() {
            if byte == UInt8(ascii: "*"), self.byte(1) == UInt8(ascii: "/") {
                offset += 2
                return
            }
            if byte == UInt8(ascii: "\n") { passLine() } else { offset += 1 }
        }
        throw fault(expected: "a comment that ends with */", found: "the end")
    }

    private mutating func word() throws(SchemaTextFault) -> String {
        let start = offset
        while let byte = byte(), isWordStart(byte) || isDigit(byte) { offset += 1 }
        guard offset - start <= Self.nameByteLimit else { throw tooLong() }
        return view.slice(start, offset - start).text
    }

    private mutating func quoted() throws(SchemaTextFault) -> String {
        let start = offset + 1
        offset = start
        while let byte = byte(), Self.isVisible(byte), byte != UInt8(ascii: "\"") { offset += 1 }
        guard offset - start <= Self.nameByteLimit else { throw tooLong() }
        guard byte() == UInt8(ascii: "\""), offset > start else {
            let found = byte().map { "the byte \($0)" } ?? "the end"
            throw fault(expected: "a name in quotes, of ASCII without blanks", found: found)
        }
        defer { offset += 1 }
        return view.slice(start, offset - start).text
    }

    private func tooLong() -> SchemaTextFault {
        fault(expected: "a name of at most \(Self.nameByteLimit) bytes", found: "a longer one")
    }

    private func isWordStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
