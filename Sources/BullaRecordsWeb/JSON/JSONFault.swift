/// A JSON syntax error: its position, what was expected there, and what was found.
///
/// A message quotes only punctuation, and names everything else by its kind, so it reveals no
/// value.
package struct JSONFault: Error, Hashable, Sendable {
    /// The position in bytes, from the beginning of the text.
    package let offset: Int
    package let expected: String
    package let found: String

    package init(offset: Int, expected: String, found: String) {
        self.offset = offset
        self.expected = expected
        self.found = found
    }
}

extension JSONFault: CustomStringConvertible {
    package var description: String { "byte \(offset): expected \(expected), found \(found)" }
}

extension JSONFault {
    /// The name of a byte in messages; `nil` means the end of the text.
    static func name(of byte: UInt8?) -> String {
        guard let byte else { return "the end of the text" }
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            return "a letter"
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return "a digit"
        case UInt8(ascii: "\""): return "a quote"
        case 0..<32, 127: return "a control character"
        case 128...: return "a byte beyond ASCII"
        case UInt8(ascii: " "): return "a blank"
        default: return "'\(Character(UnicodeScalar(byte)))'"
        }
    }
}
