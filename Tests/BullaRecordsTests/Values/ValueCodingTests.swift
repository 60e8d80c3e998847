import BullaMemory
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Values as bytes")
struct ValueCodingTests {
    @Test("Every value decodes to itself, and every beginning of its bytes is refused")
    func roundTrip() {
        var random = TestRandom(seed: 1)
        for _ in 0..<2_000 {
            let value = random.value()
            let bytes = ValueCoding.bytes(value)
            #expect(decoded(bytes) == value)
            #expect(decoded(bytes + [0]) == nil)
            #expect(decoded(Array(bytes.prefix(random.below(bytes.count)))) == nil)
        }
    }

    @Test("Bytes that are no value are refused, or are the one encoding of what they decode to")
    func strangeBytes() {
        var random = TestRandom(seed: 2)
        for _ in 0..<20_000 {
            var bytes = ValueCoding.bytes(random.value())
            for _ in 0...random.below(3) {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            if let value = decoded(bytes) { #expect(ValueCoding.bytes(value) == bytes) }
        }
    }

    @Test("A list that claims more values than there are bytes is refused")
    func longList() {
        #expect(decoded([FieldKind(.int64, isList: true).tag, 255, 255, 255, 255]) == nil)
    }

    @Test("A kind has one tag, and no other byte stands for one")
    func tags() {
        let kinds = ValueKind.allCases.flatMap { [FieldKind($0), FieldKind($0, isList: true)] }
        #expect(Set(kinds.map(\.tag)).count == kinds.count)
        for tag in UInt8.min...UInt8.max {
            if let kind = FieldKind(tag: tag) { #expect(kind.tag == tag && kinds.contains(kind)) }
        }
    }

    private func decoded(_ bytes: [UInt8]) -> RecordValue? {
        bytes.withView { ValueCoding.value($0) }
    }
}
