internal import Foundation
internal import Synchronization

/// Folds characters, one at a time, into the form in which searches compare them.
///
/// A character is decomposed, mapped to upper case and then to lower case, and decomposed again;
/// then marks above, below and attached to letters are dropped, and so are Hebrew points and Arabic
/// vowels. Each character is folded regardless of its neighbours, so the time to fold a text is
/// linear in its length.
///
/// Each process folds a block of 256 characters when a text first contains one of them, and keeps
/// the result for all texts.
///
/// - Source: Unicode Standard Annex 44 for the properties of characters, Annex 15 for canonical
///   decomposition.
struct FoldedScalars {
    /// The role of a character in a word.
    enum Part {
        case letter
        /// A word by itself.
        case single
        /// A part of the character before it.
        case mark
    }

    /// A character of a folded text.
    struct Folded {
        let scalar: Unicode.Scalar
        /// `nil` if the character separates words.
        let part: Part?
        /// The canonical combining class, which orders the marks of a letter.
        let place: UInt8
    }

    /// The folded characters of a block.
    private final class Block: Sendable {
        let folded: [Folded]
        /// Where in `folded` the entries of each character begin, and where those of the last end.
        let starts: [UInt16]

        init(_ number: UInt32) {
            var (folded, starts): ([Folded], [UInt16]) = ([], [0])
            for value in (number << 8)..<(number + 1) << 8 {
                if let scalar = Unicode.Scalar(value) { folded += FoldedScalars.fold(scalar) }
                starts.append(UInt16(folded.count))
            }
            (self.folded, self.starts) = (folded, starts)
        }
    }

    /// The blocks that this process has folded.
    private static let blocks = Mutex<[Block?]>(Array(repeating: nil, count: 0x1100))

    /// The number and the contents of the block that was used last.
    private var last: (number: UInt32, block: Block)?

    mutating func scalars(of scalar: Unicode.Scalar) -> ArraySlice<Folded> {
        let block = block(scalar.value >> 8)
        let index = Int(scalar.value & 0xFF)
        return block.folded[Int(block.starts[index])..<Int(block.starts[index + 1])]
    }

    private mutating func block(_ number: UInt32) -> Block {
        if let last, last.number == number { return last.block }
        let known = Self.blocks.withLock { $0[Int(number)] }
        // Two threads may fold the same block, with the same result.
        let block = known ?? Block(number)
        if known == nil { Self.blocks.withLock { $0[Int(number)] = block } }
        last = (number, block)
        return block
    }

    private static func fold(_ scalar: Unicode.Scalar) -> [Folded] {
        var folded: [Folded] = []
        for part in decomposed(String(scalar)) {
            for upper in part.properties.uppercaseMapping.unicodeScalars {
                for one in decomposed(upper.properties.lowercaseMapping) where !one.isDiacritic {
                    folded.append(
                        Folded(
                            scalar: one, part: one.partOfWord,
                            place: one.properties.canonicalCombiningClass.rawValue))
                }
            }
        }
        return folded
    }

    /// - Parameter text: one character, or the few characters to which a single one is mapped.
    private static func decomposed(_ text: String) -> String.UnicodeScalarView {
        text.decomposedStringWithCanonicalMapping.unicodeScalars
    }
}

extension Unicode.Scalar {
    /// `nil` if the character separates words.
    fileprivate var partOfWord: FoldedScalars.Part? {
        // This comes first, because some ideographs have the category of a number.
        if properties.isIdeographic || Self.hiragana.contains(value) { return .single }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
        case .decimalNumber, .letterNumber, .otherNumber: return .letter
        default: return properties.isAlphabetic ? .letter : nil
        }
    }

    private static let hiragana: ClosedRange<UInt32> = 0x3041...0x3096

    /// Whether it is a mark that searches ignore.
    ///
    /// Searches ignore marks above, below and attached to a letter, Hebrew points, and Arabic
    /// vowels; each of these has its own canonical combining classes. The marks of other classes,
    /// such as the voicing of Kana, distinguish letters.
    fileprivate var isDiacritic: Bool {
        let place = properties.canonicalCombiningClass.rawValue
        return place >= 200 || (10...35).contains(place)
    }
}
