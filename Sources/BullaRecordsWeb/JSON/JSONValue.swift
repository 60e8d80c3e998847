/// A value in a JSON text: a position on the text's tape.
package struct JSONValue: Sendable {
    let text: JSONText
    let place: Int

    init(_ text: JSONText, _ place: Int) {
        self.text = text
        self.place = place
    }

    private var token: JSONToken { text.tokens[place] }

    package var kind: JSONKind { token.kind }

    /// The position in the text, in bytes; for a string, the position of its opening quote.
    package var offset: Int { Int(token.start) - (token.kind == .string ? 1 : 0) }

    package var isNull: Bool { kind == .null }

    /// The Boolean value; `nil` if the value is not a Boolean.
    package var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// The text of a string; `nil` if the value is not a string.
    package var string: String? {
        kind == .string ? withContents { String(decoding: $0, as: UTF8.self) } : nil
    }

    /// The bytes of a string's text; `nil` if the value is not a string.
    package var stringBytes: [UInt8]? { kind == .string ? withContents { Array($0) } : nil }

    /// The text of a number, as written; `nil` if the value is not a number.
    package var numberText: String? {
        kind == .number ? String(decoding: contents, as: UTF8.self) : nil
    }

    /// Whether the value is a number that is written without a fraction or an exponent.
    package var isInteger: Bool { kind == .number && !token.isIntricate }

    /// The exact integer; `nil` if the value is not an integer, or does not fit in 64 bits.
    package var int64: Int64? { isInteger ? JSONNumber.int64(contents) : nil }

    /// The double nearest to a number; `nil` if the value is not a number.
    package var double: Double? { kind == .number ? JSONNumber.double(contents) : nil }

    /// The number of an array's elements, or of an object's members; 0 for other values.
    package var count: Int { kind == .array || kind == .object ? Int(token.extent) : 0 }

    /// The value of a key; `nil` if this is not an object, or the object does not have the key.
    package subscript(_ key: String) -> JSONValue? {
        guard kind == .object else { return nil }
        var place = place + 1
        for _ in 0..<token.extent {
            if text.says(key, at: place) { return JSONValue(text, place + 1) }
            place = Int(text.tokens[place + 1].next)
        }
        return nil
    }

    /// Whether the value is a string that equals `other`, byte for byte.
    package func says(_ other: String) -> Bool {
        kind == .string && text.says(other, at: place)
    }

    /// The bytes of a number or a string as written, with a string's escapes but not its quotes.
    private var contents: ArraySlice<UInt8> {
        text.bytes[Int(token.start)..<Int(token.extent)]
    }

    private func withContents<R>(_ body: (ArraySlice<UInt8>) -> R) -> R {
        body(token.isIntricate ? JSONEscape.resolved(contents)[...] : contents)
    }
}
