/// A word of a query's text, and its position.
struct QueryWord {
    enum Kind: Hashable {
        /// A name, or a keyword.
        case name(String)
        /// A name in backticks, which is never a keyword.
        case quotedName(String)
        case string(String)
        /// A number, as written.
        case number(String)
        /// An operator or a bracket, such as `<=`.
        case sign(String)
        case end
    }

    let kind: Kind
    /// The position, from 0, in Unicode scalars.
    let offset: Int
}

/// Splits a query's text into words.
struct QueryLexer {
    private let letters: [Unicode.Scalar]
    private var index = 0

    private static let signs = [
        "<=", ">=", "!=", "==", "(", ")", "[", "]", ",", ".", "=", "<", ">",
    ]

    private init(_ text: String) { letters = Array(text.unicodeScalars) }

    /// All words; the last one marks the end.
    static func words(of text: String) throws(QueryFault) -> [QueryWord] {
        var (lexer, words) = (QueryLexer(text), [QueryWord]())
        repeat { words.append(try lexer.next()) } while words.last?.kind != .end
        return words
    }

    private mutating func next() throws(QueryFault) -> QueryWord {
        while let letter = peek(), letter.properties.isWhitespace { index += 1 }
        let start = index
        return QueryWord(kind: try kind(), offset: start)
    }

    private mutating func kind() throws(QueryFault) -> QueryWord.Kind {
        guard let letter = peek() else { return .end }
        if letter == "\"" || letter == "'" { return .string(try quoted(by: letter)) }
        if letter == "`" { return .quotedName(try quoted(by: letter)) }
        if Self.isDigit(letter) || letter == "-" && peek(1).map(Self.isDigit) == true {
            return .number(try number())
        }
        if Self.isLetter(letter) {
            return .name(take { Self.isLetter($0) || Self.isDigit($0) })
        }
        for sign in Self.signs + ["-"]
        where letters[index...].starts(with: sign.unicodeScalars) {
            index += sign.unicodeScalars.count
            return .sign(sign)
        }
        throw QueryFault(index, "no word begins like this")
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        index + distance < letters.count ? letters[index + distance] : nil
    }

    private mutating func take(while isTaken: (Unicode.Scalar) -> Bool) -> String {
        var text = String.UnicodeScalarView()
        while let letter = peek(), isTaken(letter) {
            text.append(letter)
            index += 1
        }
        return String(text)
    }

    private static func isLetter(_ letter: Unicode.Scalar) -> Bool {
        letter == "_" || letter.properties.isAlphabetic
    }

    private static func isDigit(_ letter: Unicode.Scalar) -> Bool { "0"..."9" ~= letter }
}

/// Numbers and quoted strings.
extension QueryLexer {
    private mutating func number() throws(QueryFault) -> String {
        let start = index
        var text = peek() == "-" ? "-" : ""
        if !text.isEmpty { index += 1 }
        text += take(while: Self.isDigit)
        if peek() == ".", peek(1).map(Self.isDigit) == true {
            index += 1
            text += "." + take(while: Self.isDigit)
        }
        if peek() == "e" || peek() == "E" {
            index += 1
            text += "e"
            if let sign = peek(), sign == "-" || sign == "+" {
                index += 1
                text.unicodeScalars.append(sign)
            }
            text += take(while: Self.isDigit)
        }
        guard NumberText(text) != nil, peek().map(Self.isLetter) != true else {
            throw QueryFault(start, "the number is not valid")
        }
        return text
    }

    private mutating func quoted(by mark: Unicode.Scalar) throws(QueryFault) -> String {
        let start = index
        var text = String.UnicodeScalarView()
        index += 1
        while let letter = peek(), letter != mark {
            index += 1
            guard letter == "\\", mark != "`" else {
                text.append(letter)
                continue
            }
            text.append(try escape())
        }
        guard peek() == mark else {
            throw QueryFault(start, "a quotation mark opens here, but none closes")
        }
        index += 1
        return String(text)
    }

    /// The scalar that an escape stands for; its backslash is already consumed.
    private mutating func escape() throws(QueryFault) -> Unicode.Scalar {
        let start = index - 1
        guard let letter = peek() else {
            throw QueryFault(start, "the escape is not valid")
        }
        index += 1
        if letter == "'" { return letter }
        if letter.isASCII, let byte = JSONString.meaning(of: UInt8(letter.value)) {
            return Unicode.Scalar(byte)
        }
        let digits = String(String.UnicodeScalarView(letters[index...].prefix(4)))
        guard letter == "u", digits.utf8.count == 4,
            digits.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let scalar = UInt32(digits, radix: 16).flatMap({ Unicode.Scalar($0) })
        else { throw QueryFault(start, "the escape is not valid") }
        index += 4
        return scalar
    }
}
