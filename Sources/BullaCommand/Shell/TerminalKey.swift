/// A key that was pressed.
enum TerminalKey: Equatable {
    case character(Unicode.Scalar)
    case enter, tab, backspace, delete
    case left, right, up, down, home, end, wordLeft, wordRight
    case deleteWord, deleteToEnd, deleteToStart
    case interrupt, endOfInput, redraw, stop
    case pasteBegin, pasteEnd
    /// A key that has no meaning for the editor.
    case other
}

/// Recognises keys in the bytes that a terminal sends.
///
/// - Source: ECMA-48, section 5.4 (control sequences); xterm, control sequences.
struct TerminalKeys {
    private var bytes: [UInt8] = []
    /// The length in bytes above which an unfinished sequence is dropped.
    private static let sequenceByteLimit = 32

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    /// The next key; `nil` if the bytes so far do not contain a whole key.
    mutating func next() -> TerminalKey? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B { return sequence() }
        if let key = Self.control(first) {
            bytes.removeFirst()
            return key
        }
        return character(first)
    }

    private static func control(_ byte: UInt8) -> TerminalKey? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x0B: .deleteToEnd
        case 0x0C: .redraw
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .deleteToStart
        case 0x17: .deleteWord
        case 0x1A: .stop
        case 0..<0x20: .other
        default: nil
        }
    }

    private mutating func character(_ first: UInt8) -> TerminalKey? {
        let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard bytes.count >= count else { return nil }
        let text = String(validating: bytes.prefix(count), as: UTF8.self)
        guard let scalar = text?.unicodeScalars.first else {
            bytes.removeFirst()
            return .other
        }
        bytes.removeFirst(count)
        return .character(scalar)
    }

    /// Takes a sequence that begins with an escape character; `nil` if it is not complete.
    private mutating func sequence() -> TerminalKey? {
        guard bytes.count > 1 else { return nil }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
            let key = Self.withAlt(bytes[1])
            bytes.removeFirst(bytes[1] == 0x1B ? 1 : 2)
            return key
        }
        let rest = bytes.dropFirst(2)
        guard let end = rest.firstIndex(where: { (0x40...0x7E).contains($0) }) else {
            guard bytes.count > Self.sequenceByteLimit else { return nil }
            bytes.removeAll()
            return .other
        }
        let parameters = String(decoding: bytes[2..<end], as: UTF8.self)
        let key = Self.key(bytes[end], parameters)
        bytes.removeFirst(end + 1)
        return key
    }

    private static func withAlt(_ byte: UInt8) -> TerminalKey {
        switch byte {
        case UInt8(ascii: "b"): .wordLeft
        case UInt8(ascii: "f"): .wordRight
        case 0x08, 0x7F: .deleteWord
        default: .other
        }
    }

    private static func key(_ end: UInt8, _ parameters: String) -> TerminalKey {
        let isWithControl = parameters.hasSuffix(";5") || parameters.hasSuffix(";3")
        switch (end, parameters) {
        case (UInt8(ascii: "A"), _): return .up
        case (UInt8(ascii: "B"), _): return .down
        case (UInt8(ascii: "C"), _): return isWithControl ? .wordRight : .right
        case (UInt8(ascii: "D"), _): return isWithControl ? .wordLeft : .left
        case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"):
            return .home
        case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"):
            return .end
        case (UInt8(ascii: "~"), "3"): return .delete
        case (UInt8(ascii: "~"), "200"): return .pasteBegin
        case (UInt8(ascii: "~"), "201"): return .pasteEnd
        default: return .other
        }
    }
}
