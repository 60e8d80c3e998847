internal import BullaMemory

/// Reads one line of JSON piece by piece; the caller asks for the kind of piece that it expects
/// next.
///
/// The line can be anything. The reader refuses invalid JSON. It also refuses JSON that is nested
/// too deep, so that nothing recurses without end. No message contains text from the line. This
/// library depends only on the store, so it cannot use the JSON reader of the commands.
///
/// - Source: RFC 8259.
struct JSONReader {
    /// The kind of a value, which its first byte shows.
    enum Kind { case object, array, string, number, word }

    /// The maximum depth of nesting: no object needs so much, and a JSON value inside an object can
    /// have no more.
    static let depthLimit = 512

    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    /// Whether a bracket has just been opened.
    private var isFirst = false

    /// - Throws: `invalidLine` if the bytes are not UTF-8.
    init(_ bytes: [UInt8]) throws(ObjectError) {
        guard bytes.withView({ $0.isText }) else { throw Self.refusal("it is not UTF-8") }
        self.bytes = bytes
    }

    static func refusal(_ what: String) -> ObjectError { ObjectError(.invalidLine, what) }

    private static let malformed = "it is not valid JSON"

    /// The kind of the next value; `nil` if no value begins here.
    mutating func peek() -> Kind? {
        switch next() {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "-"), .some(0x30...0x39): .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): .word
        default: nil
        }
    }

    /// - Throws: `invalidLine` if anything but white space follows.
    mutating func end() throws(ObjectError) {
        guard next() == nil else { throw Self.refusal("something follows the object") }
    }

    /// Opens an object or an array.
    mutating func open(_ bracket: Unicode.Scalar) throws(ObjectError) {
        try take(UInt8(ascii: bracket))
        depth += 1
        guard depth <= Self.depthLimit else { throw Self.refusal("it is nested too deep") }
        isFirst = true
    }

    /// The name of the next member of the open object; at the object's end, consumes the bracket,
    /// and returns `nil`.
    mutating func member() throws(ObjectError) -> String? {
        guard try isMore(before: UInt8(ascii: "}")) else { return nil }
        let name = try string()
        try take(UInt8(ascii: ":"))
        return name
    }

    /// Whether the open array has another element; if not, consumes its end.
    mutating func element() throws(ObjectError) -> Bool {
        try isMore(before: UInt8(ascii: "]"))
    }

    private mutating func isMore(before bracket: UInt8) throws(ObjectError) -> Bool {
        defer { isFirst = false }
        guard next() != bracket else {
            index += 1
            depth -= 1
            return false
        }
        if !isFirst { try take(UInt8(ascii: ",")) }
        return true
    }

    /// Consumes a word, if it comes next.
    mutating func takeWord(_ word: String) -> Bool {
        guard next() != nil, bytes[index...].starts(with: word.utf8) else { return false }
        index += word.utf8.count
        return true
    }

    /// A number, as written.
    mutating func number() throws(ObjectError) -> String {
        _ = next()
        let start = index
        try passNumber()
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// A string.
    mutating func string() throws(ObjectError) -> String {
        try take(UInt8(ascii: "\""))
        var text = Array(plainPart())
        while peekByte == UInt8(ascii: "\\") {
            index += 1
            text += try escape()
            text += plainPart()
        }
        guard peekByte == UInt8(ascii: "\"") else { throw Self.refusal(Self.malformed) }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Consumes any value, and appends it without white space.
    mutating func value(appendingTo text: inout [UInt8]) throws(ObjectError) {
        switch peek() {
        case .object:
            try open("{")
            try items(closing: UInt8(ascii: "}"), appendingTo: &text)
        case .array:
            try open("[")
            try items(closing: UInt8(ascii: "]"), appendingTo: &text)
        case .string: text += try literalString()
        case .number: text += try number().utf8
        case .word:
            guard let word = ["true", "false", "null"].first(where: { takeWord($0) }) else {
                throw Self.refusal(Self.malformed)
            }
            text += word.utf8
        case nil: throw Self.refusal(Self.malformed)
        }
    }

    /// Consumes the rest of an open object or array, and appends the whole of it, including its
    /// opening bracket.
    private mutating func items(
        closing bracket: UInt8, appendingTo text: inout [UInt8]
    ) throws(ObjectError) {
        let isObject = bracket == UInt8(ascii: "}")
        text.append(UInt8(ascii: isObject ? "{" : "["))
        var isFirst = true
        while try isMore(before: bracket) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            if isObject {
                text += try literalString()
                try take(UInt8(ascii: ":"))
                text.append(UInt8(ascii: ":"))
            }
            try value(appendingTo: &text)
        }
        text.append(bracket)
    }
}

/// Access to bytes.
extension JSONReader {
    /// The next byte that is not white space.
    private mutating func next() -> UInt8? {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
        return peekByte
    }

    private var peekByte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) throws(ObjectError) {
        guard next() == byte else { throw Self.refusal(Self.malformed) }
        index += 1
    }

    /// A string as written, with its quotes and escapes.
    private mutating func literalString() throws(ObjectError) -> ArraySlice<UInt8> {
        _ = next()
        let start = index
        _ = try string()
        return bytes[start..<index]
    }

    /// Consumes the part of a string up to the next escape, quote or control character.
    private mutating func plainPart() -> ArraySlice<UInt8> {
        let start = index
        while let byte = peekByte, byte >= 0x20, byte != UInt8(ascii: "\""),
            byte != UInt8(ascii: "\\")
        { index += 1 }
        return bytes[start..<index]
    }

    /// The bytes that an escape stands for; its backslash is already consumed.
    private mutating func escape() throws(ObjectError) -> [UInt8] {
        guard let letter = peekByte else { throw Self.refusal(Self.malformed) }
        index += 1
        if let byte = JSONString.meaning(of: letter) { return [byte] }
        guard letter == UInt8(ascii: "u"), let scalar = scalar() else {
            throw Self.refusal("a string has an escape that is not valid")
        }
        return Array(String(scalar).utf8)
    }

    /// Consumes the four digits after `\u`, and a second escape if they are half of a surrogate
    /// pair.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard bytes[index...].starts(with: "\\u".utf8) else { return nil }
        index += 2
        guard let second = unit(), UTF16.isTrailSurrogate(second) else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
    }

    private mutating func unit() -> UInt16? {
        guard bytes.count - index >= 4 else { return nil }
        let digits = bytes[index..<index + 4]
        guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else {
            return nil
        }
        index += 4
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func passNumber() throws(ObjectError) {
        if peekByte == UInt8(ascii: "-") { index += 1 }
        let isZero = peekByte == UInt8(ascii: "0")
        let count = passDigits()
        var isNumber = count == 1 || count > 1 && !isZero
        if peekByte == UInt8(ascii: ".") {
            index += 1
            isNumber = passDigits() > 0 && isNumber
        }
        if peekByte == UInt8(ascii: "e") || peekByte == UInt8(ascii: "E") {
            index += 1
            if peekByte == UInt8(ascii: "-") || peekByte == UInt8(ascii: "+") { index += 1 }
            isNumber = passDigits() > 0 && isNumber
        }
        guard isNumber else { throw Self.refusal("a number is not valid") }
    }

    private mutating func passDigits() -> Int {
        let start = index
        while let byte = peekByte, 0x30...0x39 ~= byte { index += 1 }
        return index - start
    }
}
