import BullaBenchKit
import BullaText
import Testing

@Suite struct `A generated record` {
    @Test(arguments: [
        // The keys of YCSB 0.17 with zeropadding=19: Utils.hash of the number.
        (UInt64(0), "user6284781860667377211"), (1, "user8517097267634966620"),
        (2, "user1820151046732198393"),
    ])
    func `has the key that YCSB gives it`(number: UInt64, key: String) {
        var bytes: [UInt8] = []
        YCSBKey.append(number, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == key)
    }

    @Test func `has a key of 23 bytes, whatever its hash`() {
        for number in 0..<UInt64(10_000) {
            var bytes: [UInt8] = []
            YCSBKey.append(number, to: &bytes)
            #expect(bytes.count == YCSBKey.byteCount)
        }
    }

    @Test func `has a printable value of the length asked for`() {
        let table = YCSBRecords.table(.small(50, 33), seed: 1)
        #expect(table.count == 50)
        for place in table.places {
            let value = table.withValue(place) { [UInt8]($0) }
            #expect(value.count == 33)
            #expect(value.allSatisfy { (32..<127).contains($0) })
        }
    }
}
