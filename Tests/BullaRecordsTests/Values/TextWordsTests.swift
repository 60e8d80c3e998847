import BullaRecords
import Testing

@Suite("Words of texts")
struct TextWordsTests {
    private func words(_ text: String) -> [[UInt8]] {
        var words: [[UInt8]] = []
        TextWords.visit(text) { word in
            words.append(word)
            return true
        }
        return words
    }

    @Test(
        "A text is split at what is neither a letter nor a number",
        arguments: [
            ("", []), (" \n,.-", []), ("Bread", ["bread"]), ("  a b\tc  ", ["a", "b", "c"]),
            ("don't-stop_now 3.5", ["don", "t", "stop", "now", "3", "5"]),
            ("R2D2, 2nd!", ["r2d2", "2nd"]), ("\u{1F600}", []),
            ("x\u{1F600}y", ["x", "y"]),
            (
                "\u{433}\u{43E}\u{440}\u{43E}\u{434} 7",
                ["\u{433}\u{43E}\u{440}\u{43E}\u{434}", "7"]
            ),
            // Each ideograph and each character of Hiragana stands alone; Katakana does not.
            ("\u{6771}\u{4EAC}", ["\u{6771}", "\u{4EAC}"]), ("a\u{6771}b", ["a", "\u{6771}", "b"]),
            ("\u{306E}\u{306F}", ["\u{306E}", "\u{306F}"]),
            ("\u{4E00}\u{3007}", ["\u{4E00}", "\u{3007}"]),
            ("\u{30AB}\u{30CA}\u{30FC}", ["\u{30AB}\u{30CA}\u{30FC}"]),
            // A number in another script, and a mark without a letter before it.
            ("\u{664}\u{662}", ["\u{664}\u{662}"]), ("\u{94D} a", ["a"]),
        ] as [(String, [String])])
    func splitting(text: String, expected: [String]) {
        #expect(words(text) == expected.map { Array($0.utf8) })
    }

    @Test(
        "Words that differ only in case, diacritics or composition are equal",
        arguments: [
            ("\u{C9}t\u{E9}", "ete"), ("e\u{301}", "\u{E9}"), ("STRASSE", "stra\u{DF}e"),
            ("\u{130}stanbul", "istanbul"),
            (
                "\u{3A3}\u{3AF}\u{3C3}\u{3C5}\u{3C6}\u{3BF}\u{3C2}",
                "\u{3C3}\u{3B9}\u{3C3}\u{3C5}\u{3C6}\u{3BF}\u{3C3}"
            ),
            ("\u{1FB3}", "\u{3B1}\u{345}"), ("\u{5E9}\u{5B8}\u{5DC}", "\u{5E9}\u{5DC}"),
            ("\u{643}\u{64E}\u{62A}", "\u{643}\u{62A}"), ("\u{1EA4}", "a"),
        ] as [(String, String)])
    func folding(one: String, other: String) {
        #expect(words(one) == words(other) && words(one).count == 1)
    }

    @Test(
        "Marks that distinguish letters are kept",
        arguments: [
            ("\u{304B}", "\u{304C}"), ("\u{915}\u{93F}", "\u{915}\u{940}"), ("o", "\u{F8}"),
            ("\u{915}", "\u{915}\u{93C}"),
        ] as [(String, String)])
    func distinct(one: String, other: String) {
        #expect(words(one) != words(other))
    }

    @Test("Marks of a letter that come in another order make the same word")
    func order() {
        #expect(words("\u{915}\u{94D}\u{93C}x") == words("\u{915}\u{93C}\u{94D}x"))
        #expect(words("\u{915}\u{94D}x\u{93C}") != words("\u{915}\u{93C}x\u{94D}"))
    }

    @Test("Half a million marks of two classes are ignored, or only the first of them kept")
    func marks() {
        let ignored = String(repeating: "\u{301}\u{316}", count: 250_000)
        #expect(words("e\(ignored)x \(ignored)y") == [Array("ex".utf8), Array("y".utf8)])
        let kept = String(repeating: "\u{94D}\u{93C}", count: 250_000)
        let half = TextWords.markLimit / 2
        let expected =
            "\u{915}" + String(repeating: "\u{93C}", count: half)
            + String(repeating: "\u{94D}", count: half)
        #expect(words("\u{915}\(kept)\u{915}") == [Array((expected + "\u{915}").utf8)])
    }

    @Test("Of a long word only the first bytes count, and all of them were the word's")
    func longWords() {
        let limit = TextWords.wordByteLimit
        let same = String(repeating: "A", count: 500_000)
        #expect(words(same) == [[UInt8](repeating: 97, count: limit)])
        let wide = String(repeating: "\u{433}", count: limit / 2 - 1)
        // The next character does not fit. After that, the rest of the word is ignored, even a
        // character that would fit.
        let long = words("\(wide)a\u{433}bc d")
        #expect(long == [Array("\(wide)a".utf8), [100]])
    }

    @Test("Reading stops when the reader has enough")
    func stopping() {
        var count = 0
        TextWords.visit("a b c d") { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }
}
