/// A parsed JSON text: its bytes, and a tape that lists its values in order.
package final class JSONText: Sendable {
    let bytes: [UInt8]
    let tokens: [JSONToken]

    private init(bytes: [UInt8], tokens: [JSONToken]) {
        self.bytes = bytes
        self.tokens = tokens
    }

    /// Reads a text in strict accordance with RFC 8259, without copying it.
    ///
    /// The text must be UTF-8 without a byte order mark, an object must not have a key twice, and
    /// every number must be in the range of a double. The time is proportional to the length of the
    /// text.
    ///
    /// - Throws: ``JSONFault`` at the first error.
    package static func read(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONFault) -> JSONValue {
        var reader = JSONReader(bytes, limits: limits)
        try reader.read()
        return JSONValue(JSONText(bytes: bytes, tokens: reader.tokens), 0)
    }

    /// Whether the string at a tape position equals `other`.
    func says(_ other: String, at place: Int) -> Bool {
        let token = tokens[place]
        let range = Int(token.start)..<Int(token.extent)
        guard !token.isIntricate else {
            return JSONEscape.resolved(bytes[range]).elementsEqual(other.utf8)
        }
        guard range.count == other.utf8.count else { return false }
        var index = range.lowerBound
        for byte in other.utf8 {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }
}
