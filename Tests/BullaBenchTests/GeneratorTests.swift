import BullaBenchKit
import Foundation
import Testing

@Suite struct `A zipfian that grows` {
    @Test func `is the one that was made for the greater count`() {
        var grown = Zipfian(count: 100)
        for count in UInt64(100)...1_000 { grown.grow(to: count) }
        let whole = Zipfian(count: 1_000)
        #expect(grown.count == 1_000)
        var (first, second) = (Random(seed: 40), Random(seed: 40))
        for _ in 0..<10_000 { #expect(grown.next(&first) == whole.next(&second)) }
        for number in UInt64(0)..<1_000 {
            #expect(grown.probability(of: number) == whole.probability(of: number))
        }
    }
}

@Suite struct `The latest records` {
    @Test func `are drawn most, the newest first of all`() {
        let latest = SkewedLatest(count: 1_000)
        var random = Random(seed: 41)
        var seen = [Int](repeating: 0, count: 1_000)
        for _ in 0..<100_000 { seen[latest.next(&random)] += 1 }
        #expect(seen[0] == 0, "YCSB never draws the first record")
        #expect(seen[999] > seen[998] && seen[998] > seen[900] && seen[900] > seen[100])
        #expect(latest.probability(of: 0) == 0)
        let sum = (0..<1_000).reduce(0) { $0 + latest.probability(of: $1) }
        #expect(abs(sum - 1) < 1e-9)
    }

    @Test func `are other records after an insert`() {
        var latest = SkewedLatest(count: 2)
        var random = Random(seed: 42)
        #expect(Set((0..<100).map { _ in latest.next(&random) }) == [0, 1])
        latest.grow(to: 500)
        #expect(latest.count == 500)
        let newest = (0..<1_000).map { _ in latest.next(&random) }.max()
        #expect(newest == 499)
    }
}

@Suite struct `A scan's length` {
    @Test func `is 1 to 100`() {
        var random = Random(seed: 43)
        let lengths = (0..<10_000).map { _ in ScanLength.next(&random) }
        #expect(lengths.min() == 1 && lengths.max() == 100)
    }
}

@Suite struct `A generated value` {
    @Test func `that is fixed is the same each time, for each length`() {
        var (random, bytes) = (Random(seed: 43), [UInt8]())
        for count in [0, 30, 30] { ValueKind.fixed.append(count, &random, to: &bytes) }
        #expect(bytes.count == 60 && bytes[0..<30] == bytes[30..<60])
    }

    @Test(arguments: [0.01, 0.25, 0.5, 1], [0, 1, 2, 100, 1_024, 1_025, 5_000])
    func `that compresses is as long as asked for, and the same for the same seed`(
        share: Double, count: Int
    ) {
        let value = ValueKind.compressible(share: share)
        var (first, second, other) = (Random(seed: 44), Random(seed: 44), Random(seed: 45))
        var (bytes, again, others) = ([UInt8](), [UInt8](), [UInt8]())
        value.append(count, &first, to: &bytes)
        value.append(count, &second, to: &again)
        value.append(count, &other, to: &others)
        #expect(bytes.count == count && bytes == again)
        #expect(count == 0 || bytes != others)
    }

    @Test(arguments: [0.1, 0.25, 0.5, 0.75, 1])
    func `that compresses is brought to its share by lz4`(share: Double) throws {
        let value = ValueKind.compressible(share: share)
        var random = Random(seed: 46)
        var bytes: [UInt8] = []
        for _ in 0..<2_000 { value.append(1_000, &random, to: &bytes) }
        let packed = try Self.lz4ByteCount(bytes)
        let found = Double(packed) / Double(bytes.count)
        #expect(abs(found - share) < 0.02, "packed to \(found)")
    }

    /// The size of these bytes after the tool `lz4` has compressed them at its fastest level.
    private static func lz4ByteCount(_ bytes: [UInt8]) throws -> Int {
        let scratch = try Scratch(under: NSTemporaryDirectory(), isKept: false)
        let (input, output) = (scratch.file("value"), scratch.file("value.lz4"))
        try Data(bytes).write(to: URL(fileURLWithPath: input))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["lz4", "-1", "-q", "-f", input, output]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "lz4 ends well")
        return try Data(contentsOf: URL(fileURLWithPath: output)).count
    }
}
