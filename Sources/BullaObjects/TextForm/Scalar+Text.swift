internal import FoundationEssentials

/// Values as they appear in JSON, and as literals of conditions.
extension Scalar {
    /// The greatest integer that is written as a JSON number: up to it, programs that read numbers
    /// as `Double` read every integer exactly.
    private static let exactLimit: UInt64 = 1 << 53 - 1

    /// Reads the text of a number as a value of a type; `nil` if the type has no such value.
    init?(number text: String, _ type: ScalarType) {
        guard let number = NumberText(text) else { return nil }
        let scalar: Scalar? =
            switch type {
            case .integer: number.integer
            case .double: number.double.map { .double($0) }
            case .date: number.double.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case .decimal: number.decimal
            case .boolean, .string, .data, .uuid: nil
            }
        guard let scalar else { return nil }
        self = scalar
    }

    /// Reads a JSON string as a value of a type; `nil` if the type has no such value.
    init?(string text: String, _ type: ScalarType) {
        switch type {
        case .boolean: return nil
        case .string: self = .string(text)
        case .data:
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .data(data)
        case .uuid:
            guard let identifier = UUID(uuidString: text) else { return nil }
            self = .uuid(identifier)
        case .date:
            guard let moment = Self.special(text) ?? DateText(text)?.date?.seconds else {
                return nil
            }
            self = .date(Date(timeIntervalSinceReferenceDate: moment))
        case .double:
            guard let number = Self.special(text) else { return nil }
            self = .double(number)
        case .decimal where text == Self.notANumber: self = .decimal(.nan)
        case .integer, .decimal:
            guard let scalar = Scalar(number: text, type) else { return nil }
            self = scalar
        }
    }

    private static let notANumber = "nan"

    /// The NaN or infinity that a text stands for; JSON has no numbers for these values.
    private static func special(_ text: String) -> Double? {
        switch text {
        case notANumber: .nan
        case "inf": .infinity
        case "-inf": -.infinity
        default: nil
        }
    }

    private static func special(_ number: Double) -> String? {
        number.isFinite ? nil : number.isNaN ? notANumber : number > 0 ? "inf" : "-inf"
    }

    /// Appends the value as JSON.
    func appendJSON(to text: inout [UInt8]) {
        switch self {
        case .boolean(let value): text += "\(value)".utf8
        case .integer(let value): Self.append(value, value.magnitude, to: &text)
        case .unsigned(let value): Self.append(value, value, to: &text)
        case .double(let value): Self.append(value, to: &text)
        case .date(let value):
            if let moment = DateText(value) {
                JSONString.append(moment.text, to: &text)
            } else {
                Self.append(value.seconds, to: &text)
            }
        case .string(let value): JSONString.append(value, to: &text)
        case .data(let value): JSONString.append(value.base64EncodedString(), to: &text)
        case .uuid(let value): JSONString.append(value.uuidString, to: &text)
        case .decimal(let value):
            JSONString.append(value.isNaN ? Self.notANumber : value.description, to: &text)
        }
    }

    private static func append(
        _ value: some BinaryInteger, _ magnitude: some UnsignedInteger, to text: inout [UInt8]
    ) {
        let isExact = magnitude <= exactLimit
        text += (isExact ? "\(value)" : "\"\(value)\"").utf8
    }

    private static func append(_ value: Double, to text: inout [UInt8]) {
        if let special = special(value) {
            JSONString.append(special, to: &text)
        } else {
            text += value.description.utf8
        }
    }
}

extension Date {
    fileprivate var seconds: Double { timeIntervalSinceReferenceDate }
}

extension ScalarType {
    /// What a value of the type is called in messages.
    var phrase: String {
        switch self {
        case .boolean: "true or false"
        case .integer: "a whole number that 64 bits hold"
        case .double: "a number"
        case .date: "a moment"
        case .string: "a string"
        case .data: "bytes in base64"
        case .uuid: "a UUID"
        case .decimal: "a decimal number of at most 38 digits"
        }
    }
}
