import BullaRecords
import Testing

@Suite("Words of texts")
struct TextWordsTests {
    private func words(_ text: String) -> [String] {
        var words: [String] = []
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
            ("\u{30AB}\u{30CA}\u{30FC}", ["\u{30AB}\u{30CA}\u{30FC}"]),
            // A number in another script, and a mark without a letter before it.
            ("\u{664}\u{662}", ["\u{664}\u{662}"]), ("\u{94D} a", ["a"]),
        ] as [(String, [String])])
    func splitting(text: String, expected: [String]) {
        #expect(words(text) == expected)
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
