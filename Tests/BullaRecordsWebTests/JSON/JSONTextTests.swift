import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Reading JSON")
struct JSONTextTests {
    @Test(
        "A text that is JSON is read",
        arguments: [
            "null", " true ", "false\n", "0", "-0", "-1.5e+10", "1E2", "0.0", "\"\"", "[]", "{}",
            "[ ]", "{\t}", "[1,[2,[3]],{}]", "{\"a\":{\"b\":[null]},\"\":0}", "\"\u{7F}\"",
            "\"\\u0000\\b\\f\\n\\r\\t\\/\\\\\\\"\"", "\"\\ud83d\\ude00\"", "\"\u{1F600}\u{e4}\"",
            "1e308", "1e-400", "\r\n[1 ,\t2]", "9223372036854775808",
        ])
    func good(text: String) throws {
        _ = try JSONText.read(Array(text.utf8))
    }

    @Test(
        "A text that is none is refused at its first fault",
        arguments: [
            ("", 0, "a value", "the end of the text"),
            ("  ", 2, "a value", "the end of the text"),
            ("nul", 3, "null", "the end of the text"),
            ("nulL", 3, "null", "a letter"),
            ("truex", 4, "the end of the text", "a letter"),
            ("1 2", 2, "the end of the text", "a digit"),
            ("01", 1, "the end of the text", "a digit"),
            ("-", 1, "a digit", "the end of the text"),
            ("+1", 0, "a value", "'+'"),
            (".5", 0, "a value", "'.'"),
            ("1.", 2, "a digit", "the end of the text"),
            ("1.e1", 2, "a digit", "a letter"),
            ("1e", 2, "a digit", "the end of the text"),
            ("1e+", 3, "a digit", "the end of the text"),
            ("0x1", 1, "the end of the text", "a letter"),
            ("NaN", 0, "a value", "a letter"),
            ("-Infinity", 1, "a digit", "a letter"),
            ("1e400", 0, "a number that a double can hold", "a greater one"),
            ("[-1e309]", 1, "a number that a double can hold", "a greater one"),
            ("[1e99999999999999999999]", 1, "a number that a double can hold", "a greater one"),
            ("[", 1, "a value", "the end of the text"),
            ("[1", 2, "',' or ']'", "the end of the text"),
            ("[1,]", 3, "a value", "']'"),
            ("[,1]", 1, "a value", "','"),
            ("[1 2]", 3, "',' or ']'", "a digit"),
            ("[1}", 2, "',' or ']'", "'}'"),
            ("]", 0, "a value", "']'"),
            ("{", 1, "a key or '}'", "the end of the text"),
            ("{1:2}", 1, "a key or '}'", "a digit"),
            ("{'a':1}", 1, "a key or '}'", "'''"),
            ("{\"a\"}", 4, "':'", "'}'"),
            ("{\"a\":}", 5, "a value", "'}'"),
            ("{\"a\":1,}", 7, "a key", "'}'"),
            ("{\"a\":1 \"b\":2}", 7, "',' or '}'", "a quote"),
            ("{\"a\":1]", 6, "',' or '}'", "']'"),
            ("\"", 1, "a character of a string or its closing quote", "the end of the text"),
            ("\"a\nb\"", 2, "a character of a string or its closing quote", "a control character"),
            ("\"\\x\"", 2, "an escaped character", "a letter"),
            ("\"\\", 2, "an escaped character", "the end of the text"),
            ("\"\\u12g4\"", 5, "a hexadecimal digit", "a letter"),
            ("\"\\u12", 5, "a hexadecimal digit", "the end of the text"),
            ("\"\\ud800\"", 7, "the second half of a surrogate pair", "a quote"),
            ("\"\\ud800\\n\"", 8, "the second half of a surrogate pair", "a letter"),
            ("\"a\\ud800\\u0041\"", 8, "the second half of a surrogate pair", "another character"),
            ("\"\\udc00\"", 1, "a character", "the second half of a pair alone"),
            ("{\"a\":1,\"b\":2,\"a\":3}", 13, "a new key", "a repeated key"),
            ("{\"a\":1,\"\\u0061\":2}", 7, "a new key", "a repeated key"),
            ("// a\n1", 0, "a value", "'/'"),
            ("\u{FEFF}1", 0, "a value", "a byte beyond ASCII"),
            ("1\u{0}", 1, "the end of the text", "a control character"),
        ])
    func bad(text: String, offset: Int, expected: String, found: String) {
        #expect(throws: JSONFault(offset: offset, expected: expected, found: found)) {
            try JSONText.read(Array(text.utf8))
        }
    }

    @Test(
        "Bytes that are no UTF-8 are refused where they stand",
        arguments: [
            ([0x80], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC3], 1), ([0xC3, 0x28], 1),
            ([0xE0, 0x80, 0x80], 1), ([0xED, 0xA0, 0x80], 1), ([0xE2, 0x82], 2),
            ([0xF0, 0x80, 0x80, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 1),
            ([0xF5, 0x80, 0x80, 0x80], 0), ([0xF0, 0x9F, 0x98, 0x22], 3), ([0xFF], 0),
        ] as [([UInt8], Int)])
    func badText(bytes: [UInt8], offset: Int) {
        let fault = #expect(throws: JSONFault.self) {
            try JSONText.read([0x5B, 0x22] + bytes + [0x22, 0x5D])
        }
        #expect(fault?.offset == 2 + offset)
    }

    @Test("Whatever the library takes for UTF-8 is read, and nothing else")
    func textAsTheLibrary() {
        var random = TestRandom(seed: 11)
        for _ in 0..<50_000 {
            let lead: UInt8 = random.pick([0xC2, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5])
            let rest = (0..<1 + random.below(3)).map { _ in
                random.pick([0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] as [UInt8])
            }
            let isText = String(validating: [lead] + rest, as: UTF8.self) != nil
            let isRead = (try? JSONText.read([0x22, lead] + rest + [0x22])) != nil
            #expect(isRead == isText)
        }
    }

    @Test("As many levels as the limit says are read, and not one more")
    func depth() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> [UInt8] {
                let text =
                    String(repeating: open, count: depth) + "1"
                    + String(repeating: close, count: depth)
                return Array(text.utf8)
            }
            _ = try JSONText.read(nested(64))
            #expect(
                throws: JSONFault(
                    offset: 64 * open.utf8.count, expected: "at most 64 levels",
                    found: open == "[" ? "'['" : "'{'")
            ) { try JSONText.read(nested(65)) }
        }
        #expect(throws: JSONFault.self) {
            try JSONText.read([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        }
    }

    @Test("Texts of too many bytes, values or digits are refused")
    func limits() throws {
        let limits = JSONLimits(byteLimit: 20, valueLimit: 5, numberByteLimit: 4)
        _ = try JSONText.read(Array("[1,2,3,1e10]".utf8), limits: limits)
        for text in ["[1,2,3,4,5]", "[12345]", "\"\(String(repeating: "a", count: 20))\""] {
            #expect(throws: JSONFault.self) { try JSONText.read(Array(text.utf8), limits: limits) }
        }
    }

    @Test("A key that stands twice is found among many, whatever their order")
    func manyKeys() {
        var random = TestRandom(seed: 12)
        for count in [2, 3, 16, 17, 18, 400] {
            let keys = (0..<count).map { "key\($0)" }
            let unique = keys.map { "\"\($0)\":0" }
            #expect(isRead("{" + unique.joined(separator: ",") + "}"))
            var twice = unique
            twice.insert(unique[random.below(count)], at: random.below(count + 1))
            #expect(!isRead("{" + twice.joined(separator: ",") + "}"))
        }
        #expect(isRead("{\"a\":{\"a\":0},\"b\":[{\"a\":0},{\"a\":0}]}"))
    }

    @Test("Changed bytes are read or refused, with a place inside the text")
    func mutations() {
        var random = TestRandom(seed: 13)
        let texts = [WebSamples.modify, WebSamples.values].map { Array($0.utf8) }
        let signs = ["{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud800", "1e", "-", "\u{e4}"]
        let pieces = signs.map { Array($0.utf8) }
        for _ in 0..<50_000 {
            var bytes = random.pick(texts)
            for _ in 0...random.below(3) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: random.pick(pieces), at: place)
                default: bytes = Array(bytes.prefix(place + 1))
                }
            }
            do throws(JSONFault) {
                visit(try JSONText.read(bytes))
            } catch {
                #expect((0...bytes.count).contains(error.offset))
            }
        }
    }

    private func visit(_ value: JSONValue) {
        _ = (value.string, value.int64, value.double, value.bool)
        _ = JSONPath(to: value).description
        for element in value.elements { visit(element) }
        for (key, value) in value.members { _ = (key.string, visit(value)) }
    }

    private func isRead(_ text: String) -> Bool {
        (try? JSONText.read(Array(text.utf8))) != nil
    }
}
