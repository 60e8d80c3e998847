import BullaMemory
import BullaObjects
import BullaTestSupport
import FoundationEssentials
import Testing

@Suite struct `Lines of objects` {
    private static let roundCount = TestMode.pick(short: 4_000, long: 400_000)

    /// The lines of a model with one property in addition to its key.
    private static func lines(
        of kind: PropertySchema.Kind, _ multiplicity: Multiplicity = .one, initial: [UInt8]? = nil
    ) -> ObjectLines {
        var schema = DatabaseSchema()
        var value = PropertySchema(
            number: 1, name: "value", kind: kind, multiplicity: multiplicity)
        value.initial = initial
        schema.models = [
            ModelSchema(
                number: schema.takeNumber(), name: "Thing",
                properties: [
                    PropertySchema(
                        number: 0, name: "id", kind: .scalar(.integer), multiplicity: .one),
                    value,
                ], key: [0], indexes: [])
        ]
        return ObjectLines(schema)
    }

    private static func line(_ value: ObjectValue, _ lines: ObjectLines) throws -> String {
        String(
            decoding: try lines.line(of: ObjectFields(["value": value]), in: "Thing"),
            as: UTF8.self)
    }

    private static func read(_ text: String, _ lines: ObjectLines) throws -> ObjectValue {
        try lines.fields(of: Array("{\"value\":\(text)}".utf8), in: "Thing")["value"]
    }

    @Test(arguments: ScalarType.allCases)
    func `read back as the same values, to the last bit`(type: ScalarType) throws {
        let lines = Self.lines(of: .scalar(type))
        var random = TestRandom(seed: UInt64(type.rawValue))
        for _ in 0..<Self.roundCount {
            let scalar = SampleValue.draw(type, &random).scalar
            let line = try lines.line(
                of: ObjectFields(["value": .scalar(scalar)]), in: "Thing")
            let back = try lines.fields(of: line, in: "Thing")["value"]
            #expect(back == .scalar(scalar), "\(String(decoding: line, as: UTF8.self))")
        }
    }

    @Test func `have moments as people write them, with every digit`() throws {
        let lines = Self.lines(of: .scalar(.date))
        let moments: [(Double, String)] = [
            (0, "\"2001-01-01T00:00:00Z\""), (-1, "\"2000-12-31T23:59:59Z\""),
            (-0.25, "\"2000-12-31T23:59:59.75Z\""),
            (786_051_819.123456, "\"2025-11-28T19:43:39.123456Z\""),
            (-978_307_200, "\"1970-01-01T00:00:00Z\""),
            (252_423_993_599.5, "\"9999-12-31T23:59:59.5Z\""),
            (-63_113_904_000, "\"0001-01-01T00:00:00Z\""),
            (252_423_993_600, "252423993600.0"), (1e-9, "1e-09"), (.nan, "\"nan\""),
            (.infinity, "\"inf\""),
        ]
        for (seconds, text) in moments {
            let scalar = Scalar.date(Date(timeIntervalSinceReferenceDate: seconds))
            #expect(try Self.line(.scalar(scalar), lines) == "{\"value\":\(text)}")
            #expect(try Self.read(text, lines) == .scalar(scalar))
        }
        // Try days throughout eight centuries: a random moment of each, the next representable one,
        // and midnight.
        var random = TestRandom(seed: 1)
        for day in stride(from: -146_097.0, to: 146_097, by: 97) {
            let seconds = day * 86_400 + Double(random.below(86_400_000_000)) / 1e6
            for seconds in [seconds, seconds.nextUp, day * 86_400] {
                let scalar = Scalar.date(Date(timeIntervalSinceReferenceDate: seconds))
                let text = try Self.line(.scalar(scalar), lines).dropFirst(9).dropLast()
                #expect(try Self.read(String(text), lines) == .scalar(scalar), "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("\"2026-11-27\"", "\"2026-11-27T00:00:00Z\""),
        ("\"2026-11-27T19:43+02:00\"", "\"2026-11-27T17:43:00Z\""),
        ("\"2026-11-27 19:43:39-01:30\"", "\"2026-11-27T21:13:39Z\""), ("86400", "\"2001-01-02\""),
        ("\"2000-12-31T23:59:59.50Z\"", "-0.5"),
    ])
    func `take moments in other words`(text: String, same: String) throws {
        let lines = Self.lines(of: .scalar(.date))
        #expect(try Self.read(text, lines) == Self.read(same, lines))
    }

    @Test(arguments: [
        (ScalarType.boolean, "1"), (.boolean, "\"true\""), (.integer, "1.0"), (.integer, "1e3"),
        (.integer, "18446744073709551616"), (.integer, "\"x\""), (.integer, "true"),
        (.double, "\"1\""), (.double, "1e999"), (.string, "7"), (.data, "\"A\""),
        (.uuid, "\"no\""), (.decimal, "\"1e200\""),
        (.decimal, "1234567890123456789012345678901234567891"),
        (.decimal, "\"\""), (.date, "\"2026-02-29\""), (.date, "\"2026-11-27T19:43:39\""),
        (.date, "\"2026-11-27T24:00Z\""), (.date, "\"2026-1-27\""), (.date, "\"0000-01-01\""),
        (.date, "\"2026-11-27T19:43:39.Z\""), (.string, "{}"), (.string, "[]"),
    ])
    func `name the property that has no such value, and not the value`(
        type: ScalarType, text: String
    ) throws {
        let error = thrownError { _ = try Self.read(text, Self.lines(of: .scalar(type))) }
        #expect(error?.code == .invalidLine)
        #expect(error?.message.hasPrefix("Thing.value: it is not ") == true, "\(error)")
    }

    @Test func `have whole numbers that others would round as strings`() throws {
        let lines = Self.lines(of: .scalar(.integer))
        let limit = 1 << 53
        for number in [0, limit - 1, 1 - limit] {
            #expect(try Self.line(.scalar(.integer(number)), lines) == "{\"value\":\(number)}")
        }
        for number in [limit, -limit, .max, .min] {
            #expect(try Self.line(.scalar(.integer(number)), lines) == "{\"value\":\"\(number)\"}")
            #expect(try Self.read("\(number)", lines) == .scalar(.integer(number)))
        }
        #expect(try Self.read("18446744073709551615", lines) == .scalar(.unsigned(.max)))
    }

    @Test func `have values in JSON without blanks, and are one line`() throws {
        let lines = Self.lines(of: .coded)
        let text = "{\"a\" : [1, 2.50 ,\n\"x \\n\\u00e9\"], \"b\":null}"
        let line = try Self.line(.coded(Array(text.utf8)), lines)
        #expect(line == "{\"value\":{\"a\":[1,2.50,\"x \\n\\u00e9\"],\"b\":null}}")
        #expect(try Self.read("null", lines) == .coded(Array("null".utf8)))
        let strings = Self.lines(of: .scalar(.string))
        let steering = "\u{0}\u{1B}[1m\n\r\t\"\\\u{7F}\u{e9}"
        let escaped = try Self.line(.scalar(.string(steering)), strings)
        #expect(escaped.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
        let error = thrownError { _ = try Self.line(.coded([1]), lines) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("Thing.value") == true)
    }

    @Test func `say how much was sealed, and are refused for that`() throws {
        var lines = Self.lines(of: .secret, .optional)
        let line = try Self.line(.sealed([1, 2, 3]), lines)
        #expect(line == "{\"value\":{\"sealed\":3}}")
        let error = thrownError { _ = try lines.fields(of: Array(line.utf8), in: "Thing") }
        #expect(error?.code == .sealed)
        #expect(error?.message.hasPrefix("Thing.value: ") == true)
        lines.leavesOutSealed = true
        #expect(try lines.fields(of: Array(line.utf8), in: "Thing") == ObjectFields())
    }
}
