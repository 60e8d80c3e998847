internal import BullaText

/// Writes JSON values as bytes, one after the other.
///
/// The writer adds commas and colons; the caller closes the containers that it opens. Every value
/// reads back as written. JSON cannot express a double that is not finite: writing one is a
/// programming error, which ends the process.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Whether the next value follows another value in the same container.
    private var needsComma = false

    package init(byteCapacity: Int = 0) { bytes.reserveCapacity(byteCapacity) }

    package mutating func beginObject() { begin(.openingBrace) }
    package mutating func endObject() { end(.closingBrace) }
    package mutating func beginArray() { begin(.openingBracket) }
    package mutating func endArray() { end(.closingBracket) }

    package mutating func key(_ key: String) {
        string(key)
        bytes.append(.colon)
        needsComma = false
    }

    package mutating func string(_ string: String) {
        separate()
        bytes.append(.quote)
        let start = bytes.count
        bytes.append(contentsOf: string.utf8)
        var isPlain = true
        for place in start..<bytes.count { isPlain = isPlain && Self.isPlain(bytes[place]) }
        if !isPlain {
            bytes.removeLast(bytes.count - start)
            for byte in string.utf8 { append(byte) }
        }
        bytes.append(.quote)
    }

    package mutating func int64(_ number: Int64) {
        separate()
        appendDigits(number)
    }

    /// Writes the shortest text that reads back as the same double.
    package mutating func double(_ number: Double) {
        precondition(number.isFinite, "a written double is finite")
        separate()
        bytes.append(contentsOf: number.description.utf8)
    }

    package mutating func bool(_ bool: Bool) { word(bool ? "true" : "false") }

    package mutating func null() { word("null") }

    /// Writes bytes as a base64 string.
    package mutating func base64(_ data: [UInt8]) {
        separate()
        bytes.append(.quote)
        Base64.append(data, to: &bytes)
        bytes.append(.quote)
    }

    private mutating func word(_ word: StaticString) {
        separate()
        bytes.append(contentsOf: word.description.utf8)
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(.comma) }
        needsComma = true
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != .quote && byte != .backslash
    }

    private mutating func append(_ byte: UInt8) {
        if Self.isPlain(byte) { return bytes.append(byte) }
        bytes.append(.backslash)
        switch byte {
        case .quote, .backslash: bytes.append(byte)
        case 8: bytes.append(UInt8(ascii: "b"))
        case 9: bytes.append(UInt8(ascii: "t"))
        case 10: bytes.append(UInt8(ascii: "n"))
        case 12: bytes.append(UInt8(ascii: "f"))
        case 13: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: (byte < 16 ? "u000" : "u001").utf8)
            bytes.append(byte & 15 < 10 ? .zero + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
        }
    }

    private mutating func appendDigits(_ number: Int64) {
        if number < 0 { bytes.append(.minus) }
        let start = bytes.count
        var left = number.magnitude
        repeat {
            bytes.append(.zero + UInt8(left % 10))
            left /= 10
        } while left > 0
        bytes[start...].reverse()
    }
}
