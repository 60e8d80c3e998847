import Bulla
import BullaMemory
import BullaTestSupport
import Testing

@Suite struct `A chunk of the free map` {
    private static let counts: [UInt64] = [1, 2, 3, 5, 8, 31, 63, 64, 65, 100, 128, 700, 4096]

    @Test func `gives the first run that is long enough, whole`() throws {
        var random = TestRandom(seed: 7)
        for density in [0, 1, 2, 8, 32, 60, 63, 64] {
            for _ in 0..<50 {
                try expectFirstRuns(
                    (0..<FreeMap.byteCount / 8).map { _ in
                        density == 64 ? .max : random.word(ofDensity: density)
                    })
            }
        }
    }

    @Test func `gives a run that ends with a word, or with the chunk`() throws {
        var words = [UInt64](repeating: 0, count: FreeMap.byteCount / 8)
        words[0] = 0b111
        words[3] = UInt64.max << 60
        words[4] = .max
        words[5] = 0b11
        words[63] = UInt64.max << 1
        try expectFirstRuns(words)
    }

    private func expectFirstRuns(_ words: [UInt64]) throws {
        let buffer = try ScratchBuffer(byteCount: FreeMap.byteCount)
        defer { withExtendedLifetime(buffer) {} }
        for (index, word) in words.enumerated() { buffer.bytes.store(word, at: index * 8) }
        let record = buffer.bytes.view.slice(0, FreeMap.byteCount)
        for chunk in [UInt64(0), 9] {
            let runs = FreeMap.runs(record, chunk: chunk)
            for count in Self.counts {
                #expect(
                    FreeMap.firstRun(record, chunk: chunk, atLeast: count)
                        == runs.first { $0.count >= count })
            }
        }
    }
}

extension TestRandom {
    /// A word in which each bit is set with a probability of `density` in 64.
    fileprivate mutating func word(ofDensity density: Int) -> UInt64 {
        (0..<64).reduce(0) { word, bit in
            word | (below(64) < density ? 1 << UInt64(bit) : 0)
        }
    }
}
