import Bulla
import BullaMemory
import BullaObjects
import BullaTestSupport
import Testing

@Suite struct `Hostile lines` {
    private static let roundCount = TestMode.pick(short: 3_000, long: 300_000)

    @Test(arguments: TestMode.seeds(3))
    func `are refused or taken, and never trap`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let scratch = try Scratch()
        let database = try SchemaStore.make(
            RandomSchema.draw(&random), at: scratch.path("s"), .plain)
        _ = try SchemaStore.fill(database, 60, &random)
        let whole = try SchemaStore.lines(of: database)
        let lines = ObjectLines(database.schema)
        for _ in 0..<Self.roundCount {
            var line = random.pick(whole)
            SampleValue.damage(&line, &random)
            do throws(ObjectError) {
                _ = try lines.namedFields(of: line)
            } catch {
                #expect(error.code == .invalidLine)
            }
        }
    }

    private static func refusal(_ text: [UInt8]) throws -> String? {
        var schema = DatabaseSchema()
        schema.embedded = [
            EmbeddedSchema(
                number: schema.takeNumber(), name: "Box",
                properties: [
                    PropertySchema(
                        number: 0, name: "box", kind: .embedded(1), multiplicity: .optional)
                ])
        ]
        schema.models = [
            ModelSchema(
                number: schema.takeNumber(), name: "Thing",
                properties: [
                    PropertySchema(
                        number: 0, name: "id", kind: .scalar(.integer), multiplicity: .one),
                    PropertySchema(
                        number: 1, name: "box", kind: .embedded(1), multiplicity: .optional),
                    PropertySchema(
                        number: 2, name: "other", kind: .link(2), multiplicity: .optional),
                    PropertySchema(number: 3, name: "json", kind: .coded, multiplicity: .optional),
                    PropertySchema(
                        number: 4, name: "marks", kind: .scalar(.integer),
                        multiplicity: .dictionary),
                ], key: [0], indexes: [])
        ]
        return thrownError { _ = try ObjectLines(schema).fields(of: text, in: "Thing") }?.message
    }

    @Test(arguments: [
        ("", "an object is missing"), ("[]", "an object is missing"), ("{", "it is not valid JSON"),
        ("{\"id\":1", "it is not valid JSON"), ("{\"id\":1,}", "it is not valid JSON"),
        ("{\"id\" 1}", "it is not valid JSON"), ("{\"id\":1}{", "something follows the object"),
        ("{\"no\":1}", "it has no property of a name in the line"),
        ("{\"id\":1,\"id\":1}", ".id: it occurs twice"),
        ("{\"id\":01}", ".id: a number is not valid"), ("{\"id\":-}", ".id: a number is not valid"),
        ("{\"id\":1.}", ".id: a number is not valid"),
        ("{\"id\":1e}", ".id: a number is not valid"),
        ("{\"i\\x\":1}", "a string has an escape that is not valid"),
        ("{\"i\\ud800\":1}", "a string has an escape that is not valid"),
        ("{\"i\\ud800\\u0041\":1}", "a string has an escape that is not valid"),
        ("{\"marks\":{\"a\":1,\"a\":2}}", ".marks: a key occurs twice"),
        ("{\"marks\":[]}", ".marks: an object is missing"),
        ("{\"json\":tru}", ".json: it is not valid JSON"),
        ("{\"box\":{\"box\":1}}", ".box.box: an object is missing"),
    ])
    func `are told apart, with the property and without a value`(
        text: String, message: String
    ) throws {
        let refusal = try #require(try Self.refusal(Array(text.utf8)))
        let place = message.hasPrefix(".") ? "Thing" : refusal.hasPrefix("Thing") ? "Thing: " : ""
        #expect(refusal == place + message)
    }

    @Test func `that are no UTF-8 are refused`() throws {
        #expect(try Self.refusal(Array("{\"".utf8) + [0xFF, 0x22, 0x7D]) == "it is not UTF-8")
    }

    @Test func `are not read deeper than any object is`() throws {
        let count = 100_000
        let boxes = String(repeating: "{\"box\":", count: count)
        #expect(try Self.refusal(Array(boxes.utf8))?.hasSuffix("it is nested too deep") == true)
        let brackets = "{\"json\":" + String(repeating: "[", count: count)
        #expect(try Self.refusal(Array(brackets.utf8)) == "Thing.json: it is nested too deep")
        let objects = "{\"json\":" + String(repeating: "{\"a\":", count: count)
        #expect(try Self.refusal(Array(objects.utf8)) == "Thing.json: it is nested too deep")
    }
}
