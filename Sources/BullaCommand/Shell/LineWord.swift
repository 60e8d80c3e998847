internal import Bulla
internal import BullaText

/// A word in a line of the shell or of a batch.
///
///     written as       stands for
///     word             itself; it may have the escapes of ``EscapedText``, and \ before a space
///                      or a quotation mark
///     "two words"      the same, blanks included; a quotation mark in it is written as \"
///     'as it is'       the bytes up to the next ', without escapes
///     hex:00ff         the bytes in hexadecimal digits
///     base64:AP8=      the bytes in base64
struct LineWord: Equatable {
    let bytes: [UInt8]
    /// Whether the word has the plain form, without quotation marks or a prefix, and so can be an
    /// option.
    let isBare: Bool

    /// The word as text if it is an option, such as `--prefix`; otherwise `nil`.
    var option: String? {
        isBare && bytes.starts(with: "--".utf8) ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// The bytes as a word, in the simplest form that reads back exactly.
    static func text(_ bytes: [UInt8]) -> String {
        let escaped = EscapedText.line(bytes)
        let isPlain = !escaped.utf8.contains { isBlank($0) || $0 == quote || $0 == apostrophe }
        let marks = ["--", "#", "hex:", "base64:"]
        guard !isPlain || escaped.isEmpty || marks.contains(where: { escaped.hasPrefix($0) }) else {
            return escaped
        }
        return "\"" + escaped.replacing("\"", with: "\\\"") + "\""
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let apostrophe = UInt8(ascii: "'")
}

/// An error in a line.
struct LineFault: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

/// Splits a line into words.
struct LineWords {
    private var rest: ArraySlice<UInt8>

    /// The words of a line; none for an empty line or a comment, which begins with `#`.
    static func split(_ line: ArraySlice<UInt8>) throws(LineFault) -> [LineWord] {
        var words = LineWords(rest: line)
        var found: [LineWord] = []
        while let word = try words.next(isFirst: found.isEmpty) { found.append(word) }
        return found
    }

    private mutating func next(isFirst: Bool) throws(LineFault) -> LineWord? {
        // A carriage return before the newline is a part of the line's end.
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        rest = rest.drop { LineWord.isBlank($0) }
        guard let first = rest.first, !isFirst || first != UInt8(ascii: "#") else { return nil }
        switch first {
        case LineWord.apostrophe: return try asItIs()
        case LineWord.quote:
            rest.removeFirst()
            return LineWord(bytes: try unescaped { $0 == LineWord.quote }, isBare: false)
        default: return try bare()
        }
    }

    private mutating func asItIs() throws(LineFault) -> LineWord {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: LineWord.apostrophe) else {
            throw LineFault("a quotation mark ' is not closed")
        }
        let bytes = Array(rest[..<end])
        rest = rest[(end + 1)...]
        try checkEnd()
        return LineWord(bytes: bytes, isBare: false)
    }

    /// Reads a word with its escapes up to the byte that ends it, and consumes that byte.
    ///
    /// - Parameter isClosed: whether the word must end with that byte, as a quoted word must.
    private mutating func unescaped(
        _ isEnd: (UInt8) -> Bool, isClosed: Bool = true
    ) throws(LineFault) -> [UInt8] {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if isEnd(byte) {
                if isClosed { try checkEnd() }
                return bytes
            }
            bytes.append(byte == UInt8(ascii: "\\") ? try escape() : byte)
        }
        guard !isClosed else { throw LineFault("a quotation mark \" is not closed") }
        return bytes
    }

    /// Reads the rest of an escape, after its backslash.
    private mutating func escape() throws(LineFault) -> UInt8 {
        guard let letter = rest.first else { throw LineFault("a backslash ends the line") }
        if letter == LineWord.quote || letter == LineWord.apostrophe || letter == 0x20 {
            rest.removeFirst()
            return letter
        }
        let count = letter == UInt8(ascii: "x") ? 3 : 1
        let escaped = [UInt8(ascii: "\\")] + rest.prefix(count)
        guard let bytes = EscapedText.bytes(escaped[...]), let byte = bytes.first else {
            throw LineFault("a backslash does not begin an escape; write a backslash as \\\\")
        }
        rest = rest.dropFirst(count)
        return byte
    }

    private mutating func bare() throws(LineFault) -> LineWord {
        for (prefix, decode) in Self.forms where rest.starts(with: prefix.utf8) {
            let end = rest.firstIndex { LineWord.isBlank($0) } ?? rest.endIndex
            guard let bytes = decode(rest[..<end].dropFirst(prefix.utf8.count)) else {
                throw LineFault("the text after \(prefix) is not in that form")
            }
            rest = rest[end...]
            return LineWord(bytes: bytes, isBare: false)
        }
        return LineWord(
            bytes: try unescaped({ LineWord.isBlank($0) }, isClosed: false), isBare: true)
    }

    private static let forms: [(String, @Sendable (ArraySlice<UInt8>) -> [UInt8]?)] = [
        ("hex:", { Hex.bytes($0) }), ("base64:", { Base64.bytes($0) }),
    ]

    private func checkEnd() throws(LineFault) {
        guard let next = rest.first else { return }
        guard LineWord.isBlank(next) else {
            throw LineFault("a blank is missing after a closing quotation mark")
        }
    }
}
