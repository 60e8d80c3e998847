import BullaRecords
import BullaTestSupport
import Foundation
import Testing

@Suite("Predicates")
struct PredicateTests {
    @Test(
        "Formats that say the same are the same predicate",
        arguments: [
            ("n = 1", "n == 1"), ("n = 1", "1 = n"), ("n < 1", "1 > n"), ("n <= 1", "1 => n"),
            ("n != 1", "NOT n = 1"), ("n <> 1", "!(n == 1)"), ("n = 1", "not not n = 1"),
            ("n >= 1", "NOT (n < 1)"), ("n <= 1", "NOT n > 1"), ("n = 1", "NOT (NOT (n = 1))"),
            ("a = 1 AND b = 2", "a = 1 && (b = 2)"), ("a = 1", "TRUEPREDICATE AND a = 1"),
            ("a = TRUE AND b = no", "a = 1 AND b = 0"), ("t = 'it\\'s'", "t = \"it's\""),
            ("t CONTAINS 'x'", "'x' IN t"), ("n IN {1, 2}", "n in {1,2}"),
            ("((((n = 1))))", "n = 1"), ("#in = 1", "#in == 1"),
            ("t = '\\n\\t\\r\\\\'", "t=\"\n\t\r\\\\\""), ("n = -0.5e1", "n = -5.0"),
            ("creationDate > 1", "___createTime > 1"), ("recordID = 'a'", "___recordID = 'a'"),
        ])
    func same(one: String, other: String) {
        #expect(CKPredicate(format: one) == CKPredicate(format: other))
    }

    @Test("Arguments say what they would say in the format")
    func arguments() {
        let pairs = [
            (CKPredicate(format: "%K = %@", "n", 1), CKPredicate(format: "n = 1")),
            (CKPredicate(format: "%K = %@", "in", 1.5), CKPredicate(format: "#in = 1.5")),
            (CKPredicate(format: "t = %@", "%@' OR"), CKPredicate(format: "t = \"%@' OR\"")),
            (CKPredicate(format: "n IN %@", [1, 2]), CKPredicate(format: "n IN {1, 2}")),
            (CKPredicate(format: "n IN {%@, %@}", 1, 2), CKPredicate(format: "n IN {1, 2}")),
            (CKPredicate(format: "%@ IN n", "x"), CKPredicate(format: "n CONTAINS 'x'")),
            (CKPredicate(format: "%@ CONTAINS n", ["x"]), CKPredicate(format: "n IN {'x'}")),
            (CKPredicate(format: "n = %@", true), CKPredicate(format: "n = TRUE")),
            (CKPredicate(format: "n = %@", NSNumber(value: 1)), CKPredicate(format: "n = 1")),
            (CKPredicate(format: "n = 1", argumentArray: nil), CKPredicate(format: "n = 1")),
            (CKPredicate(value: true), CKPredicate(format: "TRUEPREDICATE")),
        ]
        for (one, other) in pairs { #expect(one == other && one.error == nil) }
        let name = CKRecord.ID(recordName: "a")
        let record = CKRecord(recordType: "Note", recordID: name)
        let reference = CKRecord.Reference(recordID: name, action: .none)
        #expect(CKPredicate(format: "r = %@", name) == CKPredicate(format: "r = %@", record))
        #expect(CKPredicate(format: "r IN %@", [name]) == CKPredicate(format: "r IN %@", [record]))
        #expect(CKPredicate(format: "r = %@", reference).error == nil)
    }

    @Test(
        "What cannot be asked is refused with its place and the reason",
        arguments: [
            ("", "byte 1 of the format: expected a field or a value, found the end"),
            ("n", "byte 2 of the format: expected a comparison, such as = or IN, found the end"),
            ("n = ", "byte 5 of the format: expected a field or a value, found the end"),
            ("n = 1 OR m = 2", "byte 7 of the format: a query has no OR"),
            ("n = 1 || m = 2", "byte 7 of the format: a query has no OR"),
            ("ANY t = 1", "byte 1 of the format: a query has no ANY"),
            ("ALL t = 1", "a query has no ALL"), ("t LIKE 'x*'", "byte 3 of the format: a query"),
            ("n BETWEEN {1, 2}", "use >= and <="), ("n = nil", "records without a field"),
            ("t = self", "a query looks at one field at a time"), ("FALSEPREDICATE", "nothing"),
            ("NOT TRUEPREDICATE", "byte 5 of the format: a query for nothing"),
            ("NOT (a = 1 AND b = 2)", "byte 5 of the format: NOT can precede only one comparison"),
            ("(n = 1", "byte 1 of the format: the parenthesis is not closed"),
            ("n = 1)", "byte 6 of the format: no parenthesis is open here"),
            ("t BEGINSWITH[cd] 'x'", "byte 13 of the format: texts are compared as they are"),
            ("a = b", "byte 1 of the format: 'a' is compared with a field"),
            ("1 = 2", "a value is compared with a value"), ("n = {1}", "compared with a list"),
            ("n IN 1", "'n' can only be IN a list"), ("'x' BEGINSWITH t", "on the left"),
            ("n = 'x", "byte 5 of the format: the text does not end"),
            ("t = '\\q'", "byte 6 of the format: only a quote"),
            ("n = 9223372036854775808", "greater than a field can hold"), ("n = 1e999", "greater"),
            ("n = 1x", "decimal digits"), ("n = 1e", "is not a number"), ("n ? 1", "the byte 63"),
            ("n = %d", "byte 5 of the format: expected %@ or %K"), ("n = %", "expected %@"),
            ("n = %@", "byte 5 of the format: there are 0 arguments"), ("AND = 1", "'AND'"),
            ("n IN {1 2}", "expected ',' or '}'"), ("n IN {1,", "found the end"),
            ("n = 1 m = 2", "expected AND or the end, found 'm'"), ("$n = 1", "the byte 36"),
            ("distanceToLocation:fromLocation:(a, b) < 1", "between a field and a location"),
            ("distanceToLocation:fromLocation:(a, 1) < 1", "between a field and a location"),
            ("distanceToLocation:fromLocation:(a", "expected ',', found the end"),
            ("distanceToLocation:fromLocation: < 1", "expected '(', found '<'"),
            ("distanceToLocation:toLocation:(a, 1) < 1", "byte 19 of the format: nothing"),
            (
                "distanceToLocation:fromLocation:(distanceToLocation:fromLocation:(a, 1), 1) < 1",
                "byte 34 of the format: expected a field or a location"
            ),
            ("self = 'x'", "byte 1 of the format: a query looks at one field at a time"),
            ("self CONTAINS 1", "words are searched for in a text"),
            ("'x' IN self", "a query looks at one field at a time"),
            ("NOT self CONTAINS 'x'", "byte 5 of the format: the comparison has no negation"),
            ("allTokens TOKENMATCHES[x] 'a'", "the options c, d and l"),
            ("allTokens TOKENMATCHES[cd 'a'", "expected ']'"),
            ("'x' TOKENMATCHES t", "take their field on the left"),
            ("allTokens TOKENMATCHES 1", "words are searched for in a text"),
        ])
    func refusals(format: String, reason: String) throws {
        let error = try #require(CKPredicate(format: format).error)
        #expect(error.code == .invalidArguments)
        #expect(error.message.contains(reason), "\(error.message)")
    }

    @Test("Words and distances are asked for as in CloudKit")
    func searches() throws {
        let place = CKLocation(latitude: 1, longitude: 2)
        let words = CKPredicate(format: "self CONTAINS %@", "a b")
        #expect(words.error == nil && words != CKPredicate(format: "t TOKENMATCHES %@", "a b"))
        for (format, other) in [
            ("allTokens TOKENMATCHES[cdl] %@", words), ("SELF contains[cd] %@", words),
            ("t tokenmatches[cdl] %@", CKPredicate(format: "t TOKENMATCHES %@", "a b")),
        ] { #expect(CKPredicate(format: format, "a b") == other, "\(format)") }
        let near = CKPredicate(
            format: "distanceToLocation:fromLocation:(place, %@) < %f", place, 1_000.0)
        #expect(near.error == nil)
        for other in [
            CKPredicate(format: "distanceToLocation:fromLocation:(%@, place) < 1000", place),
            CKPredicate(
                format: "distanceToLocation:fromLocation:(%K, %@) < %f", "place", place, 1_000),
            CKPredicate(format: "1e3 > distanceToLocation:fromLocation:(place, %@)", place),
            CKPredicate(
                format: "distanceToLocation:fromLocation:(place,%@)<=%@", place,
                1_000.0.nextDown),
        ] { #expect(other == near) }
        for refused in [
            CKPredicate(format: "distanceToLocation:fromLocation:(place, %@) > 1", place),
            CKPredicate(format: "distanceToLocation:fromLocation:(place, %@) = 1", place),
            CKPredicate(format: "distanceToLocation:fromLocation:(place, %@) < 0", place),
            CKPredicate(format: "distanceToLocation:fromLocation:(place, %@) <= -1", place),
            CKPredicate(format: "distanceToLocation:fromLocation:(place, %@) < 'x'", place),
            CKPredicate(format: "distanceToLocation:fromLocation:(place, %@) < n", place),
            CKPredicate(format: "NOT distanceToLocation:fromLocation:(place, %@) < 1", place),
            CKPredicate(format: "n = %f", "x"),
        ] { #expect(refused.error?.code == .invalidArguments) }
        // A field can be named `allTokens`, which otherwise stands for all fields.
        #expect(CKPredicate(format: "allTokens = 'x'").error == nil)
    }

    @Test("Arguments that do not fit are refused")
    func argumentRefusals() {
        let refused = [
            CKPredicate(format: "n = 1", 2), CKPredicate(format: "n = %@ AND m = %@", 1),
            CKPredicate(format: "%K = 1", 1), CKPredicate(format: "n = %@", UUID()),
            CKPredicate(format: "n = %@", UInt64.max), CKPredicate(format: "n < %@", [1]),
            CKPredicate(format: "n = %@", NSNull()), CKPredicate(value: false),
            CKPredicate(format: "n IN {%@}", [1]),
        ]
        for predicate in refused { #expect(predicate.error?.code == .invalidArguments) }
        let secret = CKPredicate(format: "n = %@ AND", "secret").error?.message ?? "secret"
        #expect(!secret.contains("secret"))
    }

    @Test("No format exhausts the stack, however deep")
    func depth() {
        let count = 200_000
        for (open, close) in [("(", ")"), ("NOT (", ")"), ("!", ""), ("", " AND n = 1")] {
            let opened = String(repeating: open, count: count)
            let format = opened + "n = 1" + String(repeating: close, count: count)
            #expect(CKPredicate(format: format).error == nil)
        }
        for piece in ["(", "NOT ", "{", "n IN {", "'", "((n=1)"] {
            let format = String(repeating: piece, count: count)
            #expect(CKPredicate(format: format).error != nil)
        }
    }

    @Test("A format with random changes is refused, or is read, and nothing else")
    func mutations() {
        var random = TestRandom(seed: 21)
        let samples = [
            "title BEGINSWITH %@ AND (n >= 10 AND NOT (n = 12)) AND tags CONTAINS 'x'",
            "%K = %@ && #in != -1.5e3 AND t IN {'a', \"b\\n\", 3} AND TRUEPREDICATE",
            "NOT NOT ((a <= 1) AND ('x' IN tags)) AND creationDate > %@ AND b = TRUE",
            "self CONTAINS[cdl] %@ AND distanceToLocation:fromLocation:(place, %@) < %f",
        ]
        let pieces = [
            "(", ")", "{", "}", "NOT ", "AND ", " OR ", "%@", "%K", "'", "\\", "IN ", "= ", "1.",
            "e9", "TRUEPREDICATE ", "#", "\u{e4}", "[", "||", "ANY ", "n = 1 ", "-",
            "]", "self ", "TOKENMATCHES ", "distanceToLocation:fromLocation:(", "%f", ":",
        ]
        var readCount = 0
        for _ in 0..<20_000 {
            var bytes = Array(random.pick(samples).utf8)
            for _ in 0..<random.below(4) {
                let start = random.below(bytes.count)
                let end = min(start + 1 + random.below(9), bytes.count)
                switch random.below(4) {
                case 0: bytes[start] = UInt8(truncatingIfNeeded: random.next())
                case 1: if end - start < bytes.count { bytes.removeSubrange(start..<end) }
                case 2: bytes.insert(contentsOf: bytes[start..<end], at: random.below(bytes.count))
                default: bytes.insert(contentsOf: random.pick(pieces).utf8, at: start)
                }
            }
            let format = String(decoding: bytes, as: UTF8.self)
            let arguments: [Any] = (0..<random.below(4)).map { _ in
                random.isOne(in: 2) ? "n" as Any : 1
            }
            let predicate = CKPredicate(format: format, argumentArray: arguments)
            if predicate.error == nil { readCount += 1 }
            #expect(predicate == CKPredicate(format: format, argumentArray: arguments))
        }
        // Enough changed formats are still readable to test both outcomes.
        #expect(readCount > 500 && readCount < 19_500, "\(readCount)")
    }
}
