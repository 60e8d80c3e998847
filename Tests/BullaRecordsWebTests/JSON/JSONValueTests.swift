import BullaRecordsWeb
import BullaTestSupport
import Testing

@Suite("Values of JSON")
struct JSONValueTests {
    @Test(
        "An integer is exact or none",
        arguments: [
            ("0", 0), ("-0", 0), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("18446744073709551616", nil), ("99999999999999999999999", nil), ("1.0", nil),
            ("1e2", nil), ("\"1\"", nil), ("9007199254740993", 9_007_199_254_740_993),
        ] as [(String, Int64?)])
    func integers(text: String, number: Int64?) throws {
        #expect(try read(text).int64 == number)
    }

    @Test(
        "A double is the nearest one",
        arguments: [
            ("-0", -0.0), ("-0.0", -0.0), ("0e99999", 0), ("0.1", 0.1), ("1e22", 1e22),
            ("1e23", 1e23), ("123456789012345678901234567890", 123456789012345677877719597056),
            ("18446744073709551616", 18446744073709551616), ("9007199254740993", 9007199254740992),
            ("0.30000000000000004", 0.30000000000000004),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("5e-324", .leastNonzeroMagnitude), ("2.4703282292062327e-324", 0), ("1e-99999", 0),
            ("2.2250738585072011e-308", .leastNormalMagnitude.nextDown), ("00", nil), ("1E+2", 100),
            ("100000000000000000000000e-22", 10), ("0.000001e6", 1),
        ] as [(String, Double?)])
    func doubles(text: String, number: Double?) throws {
        guard let number else {
            #expect(throws: JSONFault.self) { try read(text) }
            return
        }
        #expect(try read(text).double?.bitPattern == number.bitPattern)
    }

    @Test("Random doubles are read as they were written")
    func randomDoubles() throws {
        var random = TestRandom(seed: 21)
        for index in 0..<100_000 {
            let number =
                index % 2 == 0
                ? Double(bitPattern: random.next())
                : Double(Int64(bitPattern: random.next()) >> 20) / 1_000
            guard number.isFinite else { continue }
            var writer = JSONWriter()
            writer.double(number)
            let value = try JSONText.read(writer.bytes)
            #expect(value.double?.bitPattern == number.bitPattern)
        }
    }

    @Test("A text of few digits is the double that the library makes of it")
    func randomTexts() throws {
        var random = TestRandom(seed: 22)
        for _ in 0..<100_000 {
            let text =
                "\(random.next() >> UInt64(random.below(64)))"
                + (random.isOne(in: 2) ? ".\(random.next() >> UInt64(random.below(64)))" : "")
                + (random.isOne(in: 2) ? "e\(random.below(60) - 30)" : "")
            #expect(try read(text).double == Double(text))
        }
    }

    @Test("Strings say what their escapes stand for")
    func strings() throws {
        #expect(try read("\"a\\u00e4\\ud83d\\ude00\\n\\/\"").string == "a\u{e4}\u{1F600}\n/")
        #expect(try read("\"\\u0000\\uffff\\ue000\"").string == "\u{0}\u{ffff}\u{e000}")
        #expect(try read("\"\\ud800\\udc00\\udbff\\udfff\"").string == "\u{10000}\u{10ffff}")
        #expect(try read("1").string == nil)
    }

    @Test("Random strings are read as they were written")
    func randomStrings() throws {
        var random = TestRandom(seed: 23)
        for _ in 0..<5_000 {
            let scalars = (0..<random.below(30)).compactMap { _ in
                UnicodeScalar(UInt32(random.below(random.pick([128, 0x3000, 0x110000]))))
            }
            let string = String(String.UnicodeScalarView(scalars))
            var writer = JSONWriter()
            writer.string(string)
            let read = try JSONText.read(writer.bytes).string
            #expect(read.map { Array($0.utf8) } == Array(string.utf8))
        }
    }

    @Test("Members are found by key, also by one with escapes; a key is compared by its bytes")
    func members() throws {
        let value = try read("{\"a\":{\"x\":[1,2]},\"\\u00e4\":2,\"e\\u0301\":3,\"c\":null}")
        #expect(value["a"]?["x"]?.elements.compactMap(\.int64) == [1, 2])
        #expect(value["\u{e4}"]?.int64 == 2)
        #expect(value["\u{e9}"] == nil)
        #expect(value["e\u{301}"]?.int64 == 3)
        #expect(value["c"]?.isNull == true)
        #expect(value["d"] == nil)
        #expect(value["x"] == nil)
        #expect(value.members.compactMap { $0.key.string } == ["a", "\u{e4}", "e\u{301}", "c"])
        #expect(try read("[1]").members.map { $0.key.offset } == [])
        #expect(try read("{\"a\":1}").elements.map(\.offset) == [])
    }

    @Test("A value knows its place and the way to it")
    func places() throws {
        let value = try read("{\"a\":[0, {\"b\": \"x\"}]}")
        let deep = try #require(value["a"].flatMap { Array($0.elements).last }?["b"])
        #expect(JSONPath(to: deep).description == "a[1].b")
        #expect(deep.offset == 15)
        #expect(JSONPath(to: value).description == "the request")
        let inner = try read("[[7]]").elements.flatMap { Array($0.elements) }
        #expect(inner.map { JSONPath(to: $0).description } == ["[0][0]"])
    }

    private func read(_ text: String) throws(JSONFault) -> JSONValue {
        try JSONText.read(Array(text.utf8))
    }
}
