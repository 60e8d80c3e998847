/// The text form of bytes: one line, safe for a terminal, and exactly reversible.
///
///     byte                            written as
///     backslash                       \\
///     tab, newline, carriage return   \t \n \r
///     printable ASCII, and UTF-8      itself
///     everything else                 \xNN, two hexadecimal digits
///
/// "Everything else" includes control characters beyond ASCII and the characters that change the
/// direction of writing. A value must not be able to control the terminal, or to pass for a
/// different text.
package enum EscapedText {
    /// Which bytes other than printable characters stay unescaped.
    package enum Form {
        /// One line, exact: backslash, tab and newline are escaped.
        case line
        /// For display only: backslash, tab and newline stay.
        case display
    }

    /// Appends the text form of the bytes.
    package static func append(_ bytes: [UInt8], as form: Form = .line, to text: inout [UInt8]) {
        let span = bytes.span
        var index = 0
        while index < span.count {
            let run = plainRun(in: span, from: index)
            if run > index { text.append(contentsOf: bytes[index..<run]) }
            index = run
            if index < span.count { index += appendOne(span, at: index, as: form, to: &text) }
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// The value of one hexadecimal digit, in upper or lower case.
    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// The end of the run of plain bytes (printable ASCII, no backslash) that begins at `start`.
    ///
    /// The caller appends the run as it is, in one piece.
    private static func plainRun(in span: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < span.count, isPlain(span[index]) { index += 1 }
        return index
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\")
    }

    /// Appends the character at `index`, and returns how many bytes it took.
    private static func appendOne(
        _ span: borrowing Span<UInt8>, at index: Int, as form: Form, to text: inout [UInt8]
    ) -> Int {
        if form == .display, isSpacing(span[index]) {
            text.append(span[index])
            return 1
        }
        if let letter = letter(for: span[index]) {
            text.append(UInt8(ascii: "\\"))
            text.append(letter)
            return 1
        }
        if let (scalar, count) = UTF8Text.scalar(in: span, at: index), isHarmless(scalar) {
            text.append(contentsOf: UTF8.encode(scalar) ?? .init())
            return count
        }
        text.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "x")])
        text.append(digits[Int(span[index] >> 4)])
        text.append(digits[Int(span[index] & 15)])
        return 1
    }

    /// Whether a byte stays as it is for display.
    ///
    /// A carriage return does not: it would let one text overwrite another.
    private static func isSpacing(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
    }

    /// What follows the backslash in a byte's short escape; `nil` if the byte has none.
    private static func letter(for byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\\"): byte
        case UInt8(ascii: "\t"): UInt8(ascii: "t")
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        default: nil
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
        default: true
        }
    }

    /// The bytes that a line in this form stands for; `nil` if an escape in it is invalid.
    package static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            bytes.append(contentsOf: rest[..<backslash])
            rest = rest[(backslash + 1)...]
            guard let byte = unescape(&rest) else { return nil }
            bytes.append(byte)
        }
        bytes.append(contentsOf: rest)
        return bytes
    }

    /// Decodes and removes what follows a backslash; `nil` if the escape is invalid.
    private static func unescape(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
        switch rest.popFirst() {
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "t"): return UInt8(ascii: "\t")
        case UInt8(ascii: "n"): return UInt8(ascii: "\n")
        case UInt8(ascii: "r"): return UInt8(ascii: "\r")
        case UInt8(ascii: "x"):
            guard let high = rest.popFirst().flatMap(value),
                let low = rest.popFirst().flatMap(value)
            else { return nil }
            return high << 4 | low
        default: return nil
        }
    }

    /// A message or a name in a form that cannot control the terminal.
    package static func forTerminal(_ text: String) -> String {
        var safe: [UInt8] = []
        append(Array(text.utf8), as: .display, to: &safe)
        return String(decoding: safe, as: UTF8.self)
    }

    /// The one-line form as a string.
    package static func line(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
