/// What a value of JSON is.
package enum JSONKind: UInt8, Sendable {
    case null, `false`, `true`, number, string, array, object

    /// What it is called in a fault.
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
/// The tape has every value in the order of the text. The members of an object follow it as a key
/// and a value each, the elements of an array one by one, and a container says where they end.
struct JSONToken {
    /// The first byte: of a string the one behind its quote.
    let start: UInt32
    /// Behind the last byte of a string's contents or of a number; of a container how many members
    /// or elements it has.
    var extent: UInt32
    /// The place on the tape behind the value and all that is in it.
    var next: UInt32
    let kind: JSONKind
    /// Whether a string has escapes, or a number a fraction or an exponent.
    let isIntricate: Bool
}
