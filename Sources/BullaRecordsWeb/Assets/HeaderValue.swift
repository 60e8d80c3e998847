/// The value of a header with parameters, such as `form-data; name="file"; filename="a.txt"`.
///
/// - Source: RFC 9110, section 5.6.6. Only `\"` and `\\` are escapes in a quoted string, as
///   browsers and curl write them.
package struct HeaderValue: Hashable {
    /// The text before the parameters, in lower case.
    package let name: String
    /// The parameters, by their names in lower case.
    package let parameters: [String: String]

    /// - Returns: `nil` if the text is malformed, or has the same parameter twice.
    package init?(_ text: Substring) {
        var rest = text.utf8[...]
        guard let name = Self.nextWord(&rest, and: [UInt8(ascii: "/")]) else { return nil }
        var parameters: [String: String] = [:]
        while true {
            Self.skipBlanks(&rest)
            guard let separator = rest.popFirst() else { break }
            guard separator == UInt8(ascii: ";") else { return nil }
            Self.skipBlanks(&rest)
            // Allows a semicolon at the end.
            guard !rest.isEmpty else { break }
            guard let (name, value) = Self.nextParameter(&rest),
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        self.name = name
        self.parameters = parameters
    }

    private static func nextParameter(
        _ rest: inout Substring.UTF8View
    ) -> (name: String, value: String)? {
        guard let name = nextWord(&rest), rest.popFirst() == UInt8(ascii: "=") else { return nil }
        guard rest.first == quote else {
            return nextValue(&rest).map { (name, $0) }
        }
        rest.removeFirst()
        return nextQuoted(&rest).map { (name, $0) }
    }

    private static let quote = UInt8(ascii: "\"")

    private static func skipBlanks(_ rest: inout Substring.UTF8View) {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private static func nextWord(
        _ rest: inout Substring.UTF8View, and others: [UInt8] = []
    ) -> String? {
        let word = rest.prefix { isToken($0) || others.contains($0) }
        guard !word.isEmpty else { return nil }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self).lowercased()
    }

    private static func nextValue(_ rest: inout Substring.UTF8View) -> String? {
        let value = rest.prefix { isToken($0) }
        guard !value.isEmpty else { return nil }
        rest = rest.dropFirst(value.count)
        return String(decoding: value, as: UTF8.self)
    }

    /// The text up to the closing quote.
    private static func nextQuoted(_ rest: inout Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote { return String(validating: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\"), let next = rest.first,
                next == quote || next == UInt8(ascii: "\\")
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(next)
            rest.removeFirst()
        }
        return nil
    }

    /// Whether a byte may occur in a token (RFC 9110, section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || signs.contains(byte)
    }

    private static let signs = Set("!#$%&'*+-.^_`|~".utf8)
}
