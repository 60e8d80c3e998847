/// Splits texts into words, in the form in which searches compare them.
///
/// A word is a sequence of letters, numbers and their marks, as Unicode classifies characters; all
/// other characters separate words, even apostrophes and hyphens. An ideograph, and a character of
/// Hiragana, is a word by itself. Thai, Lao, Khmer and Burmese are written without spaces between
/// words, so a sequence of their letters counts as one word.
///
/// Words are compared without case and diacritics: see ``FoldedScalars``. The result depends on the
/// text alone, not on a locale or a language.
///
/// - Source: Unicode Standard Annex 44 for the properties of characters, Annex 15 for the order of
///   marks and for how many of them may follow a letter in a text in Stream-Safe Text Format.
package enum TextWords {
    /// The maximum length of a word in bytes; the rest of a longer word is ignored.
    package static let wordByteLimit = 1_024
    /// The maximum number of marks of a letter; further marks are ignored.
    package static let markLimit = 30

    /// Passes the words of a text to `body`, as UTF-8 and in order, until `body` returns `false`.
    ///
    /// Words are bytes, because comparing and hashing a `String` normalizes it, which takes time
    /// quadratic in the number of marks.
    ///
    /// - Complexity: linear in the text's bytes; fastest for a text in ASCII.
    package static func visit(_ text: String, _ body: ([UInt8]) -> Bool) {
        var reader = WordReader()
        for scalar in text.unicodeScalars where !reader.take(scalar, body) { return }
        _ = reader.end(body)
    }
}

/// Collects the characters of one word at a time.
private struct WordReader {
    private var word: [UInt8] = []
    /// The marks of the word's last letter.
    private var marks: [Mark] = []
    /// Whether the word is a single character (with its marks) of a kind that is a word by itself.
    private var isSingle = false
    /// Whether the word has reached its limit of bytes, so that the rest of it is ignored.
    private var isFull = false
    private var folding = FoldedScalars()

    private struct Mark {
        let scalar: Unicode.Scalar
        let place: UInt8
    }

    /// Takes the next character; if a word ends before it, passes that word to `body`.
    ///
    /// - Returns: `false` if `body` has returned `false`.
    mutating func take(_ scalar: Unicode.Scalar, _ body: ([UInt8]) -> Bool) -> Bool {
        if scalar.value < 0x80 { return takeASCII(UInt8(scalar.value), body) }
        for one in folding.scalars(of: scalar) where !take(one, body) { return false }
        return true
    }

    private mutating func takeASCII(_ byte: UInt8, _ body: ([UInt8]) -> Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return takeASCII(byte | 0x20, body)
        default: return end(body)
        }
        if isSingle, !end(body) { return false }
        endMarks()
        append(Unicode.Scalar(byte))
        return true
    }

    private mutating func take(
        _ one: FoldedScalars.Folded, _ body: ([UInt8]) -> Bool
    ) -> Bool {
        switch one.part {
        case .mark: if !word.isEmpty { take(Mark(scalar: one.scalar, place: one.place)) }
        case nil: return end(body)
        case .letter, .single:
            if isSingle || one.part == .single, !end(body) { return false }
            endMarks()
            append(one.scalar)
            isSingle = one.part == .single
        }
        return true
    }

    /// Puts a mark among those of the letter, in their canonical order.
    private mutating func take(_ mark: Mark) {
        guard marks.count < TextWords.markLimit else { return }
        var index = marks.count
        if mark.place > 0 {
            while index > 0, marks[index - 1].place > mark.place { index -= 1 }
        }
        marks.insert(mark, at: index)
    }

    private mutating func endMarks() {
        guard !marks.isEmpty else { return }
        for mark in marks { append(mark.scalar) }
        marks.removeAll(keepingCapacity: true)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        isFull = isFull || word.count + UTF8.width(scalar) > TextWords.wordByteLimit
        guard !isFull else { return }
        if scalar.value < 0x80 { return word.append(UInt8(scalar.value)) }
        word.append(contentsOf: String(scalar).utf8)
    }

    /// Ends the word, if one has begun, and passes it to `body`.
    mutating func end(_ body: ([UInt8]) -> Bool) -> Bool {
        endMarks()
        (isSingle, isFull) = (false, false)
        guard !word.isEmpty else { return true }
        let goesOn = body(word)
        word.removeAll(keepingCapacity: true)
        return goesOn
    }
}
