/// The kinds of JSON values.
package enum JSONKind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object

    /// The name of the kind in messages.
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

/// A value or a key on the tape that a reader makes from a text.
///
/// The tape lists every value in the order of the text. An object is followed by its members, each
/// as a key and a value, and an array by its elements.
struct JSONToken {
    /// The position in the text of the value's first byte; for a string, that of the byte after its
    /// opening quote.
    let start: UInt32
    /// For a container, the number of its members or elements; for a string, the position in the
    /// text where its contents end; for any other value, the position where the value ends.
    var extent: UInt32
    /// The tape position after the value and everything in it.
    var next: UInt32
    let kind: JSONKind
    /// Whether a string has escapes, or a number has a fraction or an exponent.
    let isIntricate: Bool
}
