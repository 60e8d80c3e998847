/// A text of JSON that was read, with the tape of its values.
package final class JSONText: Sendable {
    let bytes: [UInt8]
    let tokens: [JSONToken]

    private init(bytes: [UInt8], tokens: [JSONToken]) {
        self.bytes = bytes
        self.tokens = tokens
    }

    /// Reads a text strictly after RFC 8259, without copying it.
    ///
    /// It is UTF-8 without a mark before it; no key stands twice in an object; every number is one
    /// that a double can hold, if not exactly. Takes a time in proportion to the text.
    ///
    /// - Throws: ``JSONFault`` with the first place that is not so.
    package static func read(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONFault) -> JSONValue {
        var reader = JSONReader(bytes, limits: limits)
        try reader.read()
        return JSONValue(JSONText(bytes: bytes, tokens: reader.tokens), 0)
    }

    /// Whether the string at a place on the tape says just this.
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
