import BullaBenchKit
import Testing

@Suite struct `Zipfian numbers` {
    @Test func `come as often as YCSB's closed form says`() {
        let zipfian = Zipfian(count: 50)
        var random = Random(seed: 20)
        var seen = [Int](repeating: 0, count: 50)
        for _ in 0..<200_000 { seen[Int(zipfian.next(&random))] += 1 }
        let probabilities = (0..<UInt64(50)).map { zipfian.probability(of: $0) }
        #expect(ChiSquare(seen: seen, probabilities: probabilities).pValue > 0.001)
    }

    @Test func `have probabilities that add up to one`() {
        let zipfian = Zipfian(count: 1_000)
        let sum = (0..<1_000).reduce(0) { $0 + zipfian.probability(of: $1) }
        #expect(abs(sum - 1) < 1e-9)
    }

    @Test func `follow Zipf's law, the first two exactly and the others closely`() {
        let zipfian = Zipfian(count: 1_000)
        let first = zipfian.probability(of: 0)
        #expect(abs(zipfian.probability(of: 1) / first - 0.503478) < 1e-6)
        // The first tenth of the numbers has the share that the law gives it, within two
        // hundredths.
        let law = (1...1_000).map { 1 / Double($0) }
        let lawShare = law.prefix(100).reduce(0, +) / law.reduce(0, +)
        let share = (0..<100).reduce(0) { $0 + zipfian.probability(of: $1) }
        #expect(abs(share - lawShare) < 0.02)
    }

    @Test func `scrambled, reach all records, and a few far more often`() {
        let popular = ScrambledZipfian(count: 100)
        var random = Random(seed: 21)
        var seen = [Int](repeating: 0, count: 100)
        for _ in 0..<100_000 { seen[popular.next(&random)] += 1 }
        #expect(seen.allSatisfy { $0 > 0 })
        // The most popular number has 1 / zeta = 3.8 % of all draws; its hash decides which record
        // it is.
        #expect((3_500...5_500).contains(seen.max() ?? 0))
        #expect(seen.firstIndex(of: seen.max() ?? 0) == Int(YCSBHash.hash(0) % 100))
    }
}

@Suite struct `Random numbers` {
    @Test func `are those of xoshiro256** for the same seed`() {
        var random = Random(seed: 0)
        // Reference: xoshiro256starstar.c, with its state filled by splitmix64.c from 0.
        #expect(random.next() == 0x99EC_5F36_CB75_F2B4)
        #expect(random.next() == 0xBF6E_1F78_4956_452A)
    }

    @Test func `below a bound reach all of it evenly`() {
        var random = Random(seed: 22)
        var seen = [Int](repeating: 0, count: 10)
        for _ in 0..<100_000 { seen[random.below(10)] += 1 }
        let probabilities = [Double](repeating: 0.1, count: 10)
        #expect(ChiSquare(seen: seen, probabilities: probabilities).pValue > 0.001)
    }

    @Test func `make permutations`() {
        var random = Random(seed: 23)
        let order = random.permutation(1_000)
        #expect(order.sorted() == Array(0..<1_000))
        #expect(order != Array(0..<1_000))
    }
}
