/// The kinds of JSON values.
package enum JSONKind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object

    /// The name in messages.
    package var name: String {
        switch self {
        case .null: "null"
        case .false, .true: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// A value on the tape that a reader makes of a text.
///
/// The tape lists every value in the order of the text. An object is followed by its members, each
/// as a key and a value, and an array by its elements.
struct JSONToken {
    /// The position of the first byte; for a string, of the byte after its opening quote.
    let start: UInt32
    /// The position after a string's contents or a number; for a container, the number of members
    /// or elements.
    var extent: UInt32
    /// The tape position after the value and everything in it.
    var next: UInt32
    let kind: JSONKind
    /// Whether a string has escapes, or a number a fraction or an exponent.
    let isIntricate: Bool
}
