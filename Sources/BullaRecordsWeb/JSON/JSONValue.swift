/// A value of a text of JSON: a place on its tape.
package struct JSONValue: Sendable {
    let text: JSONText
    let place: Int

    init(_ text: JSONText, _ place: Int) {
        self.text = text
        self.place = place
    }

    private var token: JSONToken { text.tokens[place] }

    package var kind: JSONKind { token.kind }

    /// Where it begins in the text, in bytes; of a string its quote.
    package var offset: Int { Int(token.start) - (token.kind == .string ? 1 : 0) }

    package var isNull: Bool { kind == .null }

    /// `nil` where it is no boolean.
    package var bool: Bool? {
        switch kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// What a string says; `nil` where it is none.
    package var string: String? {
        kind == .string ? withContents { String(decoding: $0, as: UTF8.self) } : nil
    }

    /// The bytes of what a string says; `nil` where it is none.
    package var stringBytes: [UInt8]? { kind == .string ? withContents { Array($0) } : nil }

    /// How the text writes a number; `nil` where it is none.
    package var numberText: String? {
        kind == .number ? String(decoding: contents, as: UTF8.self) : nil
    }

    /// Whether a number is written without fraction and exponent.
    package var isInteger: Bool { kind == .number && !token.isIntricate }

    /// An integer, exactly; `nil` where it is none, or more than 64 bits hold.
    package var int64: Int64? { isInteger ? JSONNumber.int64(contents) : nil }

    /// The double nearest to a number; `nil` where it is none.
    package var double: Double? { kind == .number ? JSONNumber.double(contents) : nil }

    /// How many elements an array has, or members an object; 0 where it is neither.
    package var count: Int { kind == .array || kind == .object ? Int(token.extent) : 0 }

    /// The value of a key; `nil` where it is no object, or has no such key.
    package subscript(_ key: String) -> JSONValue? {
        guard kind == .object else { return nil }
        var place = place + 1
        for _ in 0..<token.extent {
            if text.says(key, at: place) { return JSONValue(text, place + 1) }
            place = Int(text.tokens[place + 1].next)
        }
        return nil
    }

    /// Whether a string says just this, byte by byte.
    package func says(_ other: String) -> Bool {
        kind == .string && text.says(other, at: place)
    }

    /// The bytes of a number or of a string with its escapes.
    private var contents: ArraySlice<UInt8> {
        text.bytes[Int(token.start)..<Int(token.extent)]
    }

    private func withContents<R>(_ body: (ArraySlice<UInt8>) -> R) -> R {
        body(token.isIntricate ? JSONEscape.resolved(contents)[...] : contents)
    }
}
