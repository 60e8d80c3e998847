import BullaRecords
import BullaTestSupport
import Testing

@Suite("Schema texts at random")
struct SchemaTextFuzzTests {
    @Test("Every schema that holds is read from its text as it was, and has one text")
    func roundTrip() throws {
        var random = TestRandom(seed: 3)
        for _ in 0..<1_000 {
            let schema = random.schema()
            #expect(schema.faults() == [])
            let bytes = SchemaText.bytes(schema)
            let again = try SchemaText.read(bytes)
            #expect(again == schema)
            #expect(SchemaText.bytes(again) == bytes)
        }
    }

    @Test("A text with random changes is refused, or is read and has a text that stays")
    func mutations() throws {
        var random = TestRandom(seed: 4)
        var readCount = 0
        var samples = (0..<200).map { _ in SchemaText.bytes(random.schema()) }
        samples += Array(repeating: Array(SchemaTextTests.sample.utf8), count: 50)
        for _ in 0..<20_000 {
            var bytes = random.pick(samples)
            for _ in 0...random.below(3) { mutate(&bytes, &random) }
            guard let schema = try? SchemaText.read(bytes) else { continue }
            readCount += 1
            let text = SchemaText.bytes(schema)
            let again = try SchemaText.read(text)
            #expect(again == schema)
            #expect(SchemaText.bytes(again) == text)
            // The check must not trap, whatever the schema says.
            _ = schema.faults()
        }
        // Enough changed texts are still readable to test both outcomes.
        #expect(readCount > 1_000 && readCount < 19_000)
    }

    @Test("Random bytes and words are refused or read, and nothing else")
    func noise() {
        var random = TestRandom(seed: 5)
        for _ in 0..<5_000 {
            _ = try? SchemaText.read(random.bytes(random.below(200)))
            let words = (0..<random.below(60)).map { _ in random.pick(Self.pieces) }
            _ = try? SchemaText.read(Array(("DEFINE SCHEMA " + words.joined()).utf8))
        }
    }

    private static let pieces = [
        "DEFINE ", "SCHEMA ", "CREATE ROLE ", "RECORD TYPE ", "a ", "\"b\" ", "(", ")", ",", ";",
        "STRING ", "LIST<", ">", "ENCRYPTED ", "GRANT ", "READ ", "TO ", "QUERYABLE ", "/*", "*/",
        "--", "//", "\n", "\"", "NUMBER PREFERRED AS ", "INT64 ",
    ]

    private func mutate(_ bytes: inout [UInt8], _ random: inout TestRandom) {
        guard !bytes.isEmpty else { return }
        let start = random.below(bytes.count)
        let end = min(start + 1 + random.below(12), bytes.count)
        switch random.below(6) {
        case 0: bytes[start] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.removeSubrange(start..<end)
        case 2: bytes.insert(contentsOf: bytes[start..<end], at: random.below(bytes.count))
        case 3: bytes.insert(contentsOf: random.pick(Self.pieces).utf8, at: start)
        case 4: bytes[start] = UInt8(ascii: " ")
        default: if random.isOne(in: 10) { bytes.removeSubrange(start...) }
        }
    }
}
