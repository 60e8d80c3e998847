internal import Foundation

/// Splits texts into words, in the form in which searches compare them.
///
/// A word is a sequence of letters, numbers and their marks, as Unicode classifies characters; all
/// other characters separate words, and so do apostrophes and hyphens. An ideograph, and a
/// character of Hiragana, is a word by itself. Thai, Lao, Khmer and Burmese are written without
/// spaces between words, so a sequence of their letters counts as one word.
///
/// Words are compared without case and diacritics: characters are mapped to upper case and then to
/// lower case, and decomposed; then marks above, below and attached to letters are dropped, and so
/// are Hebrew points and Arabic vowels. The result depends on the text alone, not on a locale or a
/// language.
///
/// - Source: Unicode Standard Annex 44 for the properties of characters, Annex 15 for canonical
///   decomposition.
package enum TextWords {
    /// Passes the words of a text to `body`, in order, until `body` returns `false`.
    ///
    /// - Complexity: linear in the text's bytes; fastest for a text in ASCII.
    package static func visit(_ text: String, _ body: (String) -> Bool) {
        var reader = WordReader()
        for scalar in folded(text) {
            if let word = reader.take(scalar), !body(word) { return }
        }
        if let word = reader.end() { _ = body(word) }
    }

    private static func folded(_ text: String) -> String.UnicodeScalarView {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased().unicodeScalars }
        var mapped = ""
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                mapped.unicodeScalars.append(
                    contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
            }
        }
        var folded = String.UnicodeScalarView()
        for scalar in mapped.decomposedStringWithCanonicalMapping.unicodeScalars
        where !scalar.isDiacritic { folded.append(scalar) }
        return folded
    }
}

/// Collects the characters of one word at a time.
private struct WordReader {
    private var word = String.UnicodeScalarView()
    /// Whether the word consists of a single character and its marks.
    private var isSingle = false

    /// Takes the next character, and returns the word that ends before it.
    mutating func take(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.partOfWord {
        case .mark:
            if !word.isEmpty { word.append(scalar) }
            return nil
        case .letter where !isSingle:
            word.append(scalar)
            return nil
        case .letter: return begin(with: scalar, isSingle: false)
        case .single: return begin(with: scalar, isSingle: true)
        case nil: return end()
        }
    }

    /// Ends the word, and returns it; `nil` if there is none.
    mutating func end() -> String? {
        defer { (word, isSingle) = (String.UnicodeScalarView(), false) }
        return word.isEmpty ? nil : String(word)
    }

    private mutating func begin(with scalar: Unicode.Scalar, isSingle: Bool) -> String? {
        let ended = end()
        word.append(scalar)
        self.isSingle = isSingle
        return ended
    }
}

/// What a character is in a word.
private enum PartOfWord {
    case letter
    /// A word by itself.
    case single
    /// A part of the character before it.
    case mark
}

extension Unicode.Scalar {
    /// `nil` if the character separates words.
    fileprivate var partOfWord: PartOfWord? {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
        case .decimalNumber, .letterNumber, .otherNumber: return .letter
        default: break
        }
        if properties.isIdeographic || Self.hiragana.contains(value) { return .single }
        return properties.isAlphabetic ? .letter : nil
    }

    private static let hiragana: ClosedRange<UInt32> = 0x3041...0x3096

    /// Whether it is a mark that searches ignore.
    ///
    /// These are the canonical combining classes of marks above, below and attached to a letter,
    /// and those of Hebrew points and Arabic vowels. The marks of other classes, such as the
    /// voicing of Kana, distinguish letters.
    fileprivate var isDiacritic: Bool {
        let place = properties.canonicalCombiningClass.rawValue
        return place >= 200 || (10...35).contains(place)
    }
}
