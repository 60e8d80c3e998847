import BullaBenchKit
import BullaText
import Foundation
import Testing

@Suite struct `A digest` {
    private static let entries = (0..<1_000).map { ("key \($0)", "value \($0)") }

    private static func digest(_ entries: [(String, String)]) -> Digest {
        var digest = Digest()
        for (key, value) in entries { digest.add(hash(key, value)) }
        return digest
    }

    private static func hash(_ key: String, _ value: String) -> UInt64 {
        Array(key.utf8).withSpan { key in
            Array(value.utf8).withSpan { RecordHash.hash(key, $0) }
        }
    }

    @Test func `does not depend on the order of the records`() {
        #expect(Self.digest(Self.entries) == Self.digest(Self.entries.reversed()))
    }

    @Test func `catches a lost record`() {
        #expect(Self.digest(Self.entries) != Self.digest(Self.entries.dropLast()))
    }

    @Test func `catches a record that stands in for another`() {
        var entries = Self.entries
        entries[7] = entries[8]
        #expect(Self.digest(Self.entries) != Self.digest(entries))
    }

    @Test func `catches two values that were swapped, and a byte that moved to the key`() {
        var swapped = Self.entries
        (swapped[1].1, swapped[2].1) = (swapped[2].1, swapped[1].1)
        #expect(Self.digest(Self.entries) != Self.digest(swapped))
        #expect(Self.hash("ab", "c") != Self.hash("a", "bc"))
        #expect(Self.hash("", "") != Self.hash("\0", ""))
    }

    @Test func `follows a change without looking at the other records`() {
        var entries = Self.entries
        var digest = Self.digest(entries)
        var change = Digest()
        change.remove(Self.hash(entries[5].0, entries[5].1))
        entries[5].1 = "new"
        change.add(Self.hash(entries[5].0, entries[5].1))
        digest = digest + change
        #expect(digest == Self.digest(entries))
    }

    @Test func `arrives as it was sent, exactly`() throws {
        var change = Self.digest(Self.entries)
        change.remove(0)
        let text = try JSONEncoder().encode(change)
        #expect(try JSONDecoder().decode(Digest.self, from: text) == change)
    }

    @Test func `hashes every byte, wherever it stands`() {
        for count in [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 100] {
            let bytes = [UInt8](repeating: 0, count: count)
            let whole = bytes.withSpan { RecordHash.hash($0, seed: 1) }
            for place in 0..<count {
                var changed = bytes
                changed[place] = 1
                #expect(changed.withSpan { RecordHash.hash($0, seed: 1) } != whole)
            }
        }
    }
}

@Suite struct `A file of records` {
    @Test func `gives back every record, in an order of its own`() throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let table = YCSBRecords.table(.small(500, 20), seed: 3)
        try RecordFile.write(table, to: scratch.file("records"), seed: 3)
        let mapped = try MappedRecords(path: scratch.file("records"))
        let read = (0..<mapped.count).map { index in
            mapped.withKey(index) { [UInt8]($0) } + mapped.withValue(index) { [UInt8]($0) }
        }
        let written = table.places.map { place in
            table.withKey(place) { [UInt8]($0) } + table.withValue(place) { [UInt8]($0) }
        }
        #expect(Set(read) == Set(written))
        #expect(read != written)
        #expect(mapped.payloadByteCount == 500 * 43)
        #expect(mapped.digest().count == 500)
    }

    @Test(arguments: [0, 8, 15, 16, 40])
    func `that was cut is refused`(byteCount: Int) throws {
        let scratch = try Scratch(under: "/tmp", isKept: false)
        let path = scratch.file("records")
        let table = YCSBRecords.table(.small(3, 5), seed: 3)
        try RecordFile.write(table, to: path, seed: 3)
        let whole = try Descriptor.open(path).readToEnd(limit: 1 << 20, of: path)
        try Descriptor.create(path + ".cut").write(Array(whole.prefix(byteCount)))
        #expect(throws: BenchError.self) { try MappedRecords(path: path + ".cut") }
    }
}
