/// A line that is being typed: what stands before the cursor, and what stands after it.
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

    /// How many characters the next word has, with the blanks before it.
    private func wordCount(_ text: [Character]) -> Int {
        let blanks = text.prefix { $0 == " " }.count
        return blanks + text[blanks...].prefix { $0 != " " }.count
    }
}
