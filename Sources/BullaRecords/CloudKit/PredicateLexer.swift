/// Splits a predicate's format into tokens.
///
/// Every byte is read once, and none is trusted.
struct PredicateLexer {
    /// A token of the format.
    enum Token: Hashable {
        /// A word of the language, or the name of a field.
        case word(String)
        /// The name of a field, even if it is a keyword: `#in`.
        case name(String)
        /// A text or a number.
        case value(RecordValue)
        /// A placeholder for the next argument: `@` for a value, `f` for a number, `K` for the name
        /// of a field.
        case argument(UInt8)
        case symbol(String)
        case end
    }

    private let bytes: [UInt8]
    private var offset = 0

    /// The current token.
    private(set) var token: Token = .end
    /// The position of the current token.
    private(set) var tokenOffset = 0

    init(_ format: String) throws(PredicateFault) {
        bytes = Array(format.utf8)
        try advance()
    }

    /// An error at the current token.
    func fault(_ reason: String) -> PredicateFault { PredicateFault(tokenOffset, reason) }

    /// An error for an unexpected token.
    func fault(expected: String) -> PredicateFault {
        let found =
            switch token {
            case .word(let word), .name(let word): "'\(word.told)'"
            case .value: "a value"
            case .argument(let letter): "'%\(Character(Unicode.Scalar(letter)))'"
            case .symbol(let symbol): "'\(symbol)'"
            case .end: "the end"
            }
        return fault("expected \(expected), found \(found)")
    }

    /// Whether the token is the keyword `word`, in upper or lower case.
    func isWord(_ word: String) -> Bool {
        if case .word(let found) = token { found.uppercased() == word } else { false }
    }

    func isSymbol(_ symbol: String) -> Bool { token == .symbol(symbol) }

    /// Advances to the next token.
    mutating func advance() throws(PredicateFault) {
        while let byte = byte(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
        tokenOffset = offset
        guard let byte = byte() else {
            token = .end
            return
        }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): token = .value(.string(try text(byte)))
        case UInt8(ascii: "%"): token = .argument(try argument())
        case UInt8(ascii: "#") where self.byte(1).map(Self.isWordStart) == true:
            offset += 1
            token = .name(word())
        case _ where Self.isWordStart(byte): token = .word(word())
        case _ where Self.isDigit(byte), UInt8(ascii: "-") where followsDigit:
            token = .value(try number())
        default: token = .symbol(try symbol())
        }
    }
}

extension PredicateLexer {
    /// The byte at a distance from the current position; `nil` after the end.
    private func byte(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    private var followsDigit: Bool { byte(1).map(Self.isDigit) ?? false }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func word() -> String {
        let start = offset
        while let byte = byte(), Self.isWordStart(byte) || Self.isDigit(byte) { offset += 1 }
        let word = text(from: start)
        // Only one word contains colons: the name of the distance function.
        let rest = PredicateWords.distance.utf8.dropFirst(word.utf8.count)
        guard PredicateWords.distance.hasPrefix(word + ":"), bytes[offset...].starts(with: rest)
        else { return word }
        offset += rest.count
        return PredicateWords.distance
    }

    private mutating func argument() throws(PredicateFault) -> UInt8 {
        guard let letter = byte(1), "@Kf".utf8.contains(letter) else {
            throw fault("expected %@ or %K, or %f for a number; %@ also stands for numbers")
        }
        offset += 2
        return letter
    }

    /// A quoted text, in which a backslash changes the meaning of the next character.
    private mutating func text(_ quote: UInt8) throws(PredicateFault) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = byte(), byte != quote {
            offset += 1
            text.append(byte == UInt8(ascii: "\\") ? try escaped() : byte)
        }
        guard byte() == quote else { throw fault("the text does not end") }
        offset += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escaped() throws(PredicateFault) -> UInt8 {
        defer { offset += 1 }
        switch byte() {
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "'"): return UInt8(ascii: "'")
        case UInt8(ascii: "\""): return UInt8(ascii: "\"")
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        default:
            throw PredicateFault(
                offset - 1, "only a quote, a backslash, n, r or t can follow a backslash")
        }
    }

    private mutating func number() throws(PredicateFault) -> RecordValue {
        let start = offset
        if byte() == UInt8(ascii: "-") { offset += 1 }
        skipDigits()
        var isWhole = true
        if byte() == UInt8(ascii: "."), followsDigit {
            isWhole = false
            offset += 1
            skipDigits()
        }
        if let byte = byte(), byte | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            offset += 1
            if let sign = self.byte(), [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) {
                offset += 1
            }
            skipDigits()
        }
        let text = text(from: start)
        if let next = byte(), Self.isWordStart(next) || next == UInt8(ascii: ".") {
            throw fault("expected a number of decimal digits")
        }
        if isWhole, let number = Int64(text) { return .int64(number) }
        if !isWhole, let number = Double(text), number.isFinite { return .double(number) }
        throw fault("this is not a number, or is greater than a field can hold")
    }

    private mutating func skipDigits() {
        while let byte = byte(), Self.isDigit(byte) { offset += 1 }
    }

    private static let symbols = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "(", ")", "{", "}", "[", "]", ",",
        "=", "<", ">", "!",
    ].map { (text: $0, bytes: Array($0.utf8)) }

    private mutating func symbol() throws(PredicateFault) -> String {
        let rest = bytes[offset...]
        guard let symbol = Self.symbols.first(where: { rest.starts(with: $0.bytes) }) else {
            throw fault("nothing in a predicate begins with the byte \(bytes[offset])")
        }
        offset += symbol.bytes.count
        return symbol.text
    }

    private static func isWordStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
