/// Reads a text into a tape of tokens, in one pass and without recursion.
struct JSONReader {
    let bytes: [UInt8]
    let limits: JSONLimits
    var offset = 0
    private(set) var tokens: [JSONToken] = []
    /// The open containers, by their tape positions.
    private var open: [Int] = []

    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
        tokens.reserveCapacity(min(bytes.count / 8, limits.valueLimit) + 1)
    }

    mutating func read() throws(JSONFault) {
        guard bytes.count <= limits.byteLimit else {
            throw JSONFault(
                offset: limits.byteLimit, expected: "at most \(limits.byteLimit) bytes",
                found: "\(bytes.count)")
        }
        skipBlanks()
        try readValue()
        while let container = open.last { try readPart(of: container) }
        skipBlanks()
        guard offset == bytes.count else { throw fault("the end of the text") }
    }

    /// Reads the next member or element of a container, or the container's end.
    private mutating func readPart(of container: Int) throws(JSONFault) {
        let isObject = tokens[container].kind == .object
        skipBlanks()
        if offset < bytes.count, bytes[offset] == (isObject ? .closingBrace : .closingBracket) {
            return try close(container)
        }
        if tokens[container].extent > 0 {
            guard take(.comma) else { throw fault(isObject ? "',' or '}'" : "',' or ']'") }
            skipBlanks()
        }
        tokens[container].extent += 1
        if isObject {
            guard take(.quote) else {
                throw fault(tokens[container].extent == 1 ? "a key or '}'" : "a key")
            }
            try readString()
            skipBlanks()
            guard take(.colon) else { throw fault("':'") }
            skipBlanks()
        }
        try readValue()
    }

    private mutating func readValue() throws(JSONFault) {
        guard offset < bytes.count else { throw fault("a value") }
        switch bytes[offset] {
        case .openingBrace: try begin(.object)
        case .openingBracket: try begin(.array)
        case .quote:
            offset += 1
            try readString()
        case .minus, .zero ... .nine: try readNumber()
        case UInt8(ascii: "t"): try readWord("true", .true)
        case UInt8(ascii: "f"): try readWord("false", .false)
        case UInt8(ascii: "n"): try readWord("null", .null)
        default: throw fault("a value")
        }
    }

    private mutating func begin(_ kind: JSONKind) throws(JSONFault) {
        guard open.count < limits.depthLimit else {
            throw fault("at most \(limits.depthLimit) levels")
        }
        open.append(tokens.count)
        try append(kind, from: offset, extent: 0)
        offset += 1
    }

    private mutating func close(_ container: Int) throws(JSONFault) {
        offset += 1
        open.removeLast()
        tokens[container].next = UInt32(tokens.count)
        guard tokens[container].kind == .object,
            let double = JSONKeys.repeated(in: container, of: tokens, bytes)
        else { return }
        throw JSONFault(
            offset: Int(tokens[double].start) - 1, expected: "a new key", found: "a repeated key")
    }

    private mutating func readWord(_ word: StaticString, _ kind: JSONKind) throws(JSONFault) {
        let start = offset
        for letter in word.description.utf8 {
            guard take(letter) else { throw fault("\(word)") }
        }
        try append(kind, from: start, extent: offset)
    }

    mutating func append(
        _ kind: JSONKind, from start: Int, extent: Int, isIntricate: Bool = false
    ) throws(JSONFault) {
        guard tokens.count < limits.valueLimit else {
            throw JSONFault(
                offset: start, expected: "at most \(limits.valueLimit) values", found: "more")
        }
        tokens.append(
            JSONToken(
                start: UInt32(start), extent: UInt32(extent), next: UInt32(tokens.count + 1),
                kind: kind, isIntricate: isIntricate))
    }
}

extension JSONReader {
    @inline(__always)
    private mutating func skipBlanks() {
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                offset += 1
            default: return
            }
        }
    }

    /// Consumes a byte if it comes next.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    func fault(_ expected: String) -> JSONFault { fault(expected, at: offset) }

    func fault(_ expected: String, at offset: Int) -> JSONFault {
        JSONFault(
            offset: offset, expected: expected,
            found: JSONFault.name(of: offset < bytes.count ? bytes[offset] : nil))
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let openingBrace = UInt8(ascii: "{")
    static let closingBrace = UInt8(ascii: "}")
    static let openingBracket = UInt8(ascii: "[")
    static let closingBracket = UInt8(ascii: "]")

    var isDigit: Bool { self &- .zero < 10 }
}
