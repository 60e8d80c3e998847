/// A line that is being typed: the text before the cursor, and the text after it.
struct LineBuffer {
    private(set) var before = ""
    private(set) var after = ""

    var text: String { before + after }

    /// A line with the cursor at its end.
    init(_ text: String = "") { before = text }

    mutating func insert(_ text: some StringProtocol) { before += text }

    mutating func insert(_ scalar: Unicode.Scalar) { before.unicodeScalars.append(scalar) }

    mutating func left() {
        if let last = before.popLast() { after = String(last) + after }
    }

    mutating func right() {
        if let first = after.first {
            before.append(first)
            after.removeFirst()
        }
    }

    mutating func home() { (before, after) = ("", text) }

    mutating func end() { (before, after) = (text, "") }

    mutating func deleteBefore(_ count: Int = 1) { before.removeLast(min(count, before.count)) }

    mutating func deleteAfter() { _ = after.isEmpty ? nil : after.removeFirst() }

    mutating func deleteToEnd() { after = "" }

    mutating func deleteToStart() { before = "" }

    mutating func deleteWord() { before.removeLast(wordCount(before.reversed())) }

    mutating func leftWord() { for _ in 0..<wordCount(before.reversed()) { left() } }

    mutating func rightWord() { for _ in 0..<wordCount(Array(after)) { right() } }

    /// The length of the first word in a text, in characters, including the blanks before it.
    private func wordCount(_ text: [Character]) -> Int {
        let blanks = text.prefix { $0 == " " }.count
        return blanks + text[blanks...].prefix { $0 != " " }.count
    }
}

/// Computes the width of characters, in columns of a terminal.
///
/// - Source: Unicode Standard Annex 11 (East Asian width); Technical Standard 51 (emoji).
enum CharacterWidth {
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]

    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    /// The width of a character; 1 if it cannot be shown, because a `?` takes its place.
    static func of(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first, isShown(character) else { return 1 }
        let isEmoji = character.unicodeScalars.contains {
            $0.properties.isEmojiPresentation || $0.value == 0xFE0F
        }
        return isEmoji || wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// Whether the character can be shown as it is.
    ///
    /// It cannot if it controls the terminal, combines with the character before it, or is
    /// unassigned or for private use.
    static func isShown(_ character: Character) -> Bool {
        guard let first = character.unicodeScalars.first else { return false }
        switch first.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .nonspacingMark,
            .enclosingMark, .surrogate, .unassigned, .privateUse:
            return false
        default: return true
        }
    }
}
