import BullaBenchKit
import Foundation
import Testing

@Suite struct `A histogram of latencies` {
    @Test func `merged from parts counts what one histogram of all counts`() {
        var random = Random(seed: 30)
        var parts = [Latency(), Latency(), Latency()]
        var whole = Latency()
        for number in 0..<30_000 {
            let nanoseconds = random.next() >> UInt64(20 + random.below(40))
            parts[number % 3].record(nanoseconds)
            whole.record(nanoseconds)
        }
        var merged = Latency()
        for part in parts { merged.merge(part) }
        #expect(merged == whole)
        for percent in [0.0, 50, 90, 99, 99.9, 100] {
            #expect(merged.percentile(percent) == whole.percentile(percent))
        }
    }

    @Test func `sent as text arrives with the same counts and percentiles`() throws {
        var latency = Latency()
        for nanoseconds in [0, 1, 999, 1_000, 123_456, 7_000_000_000] as [UInt64] {
            latency.record(nanoseconds, count: nanoseconds % 7 + 1)
        }
        let text = try JSONEncoder().encode(latency)
        let arrived = try JSONDecoder().decode(Latency.self, from: text)
        #expect(arrived.count == latency.count)
        for percent in [0.0, 10, 50, 99, 100] {
            #expect(arrived.percentile(percent) == latency.percentile(percent))
        }
    }

    @Test func `keeps three significant digits`() throws {
        var latency = Latency()
        latency.record(123_456_789)
        let seen = try #require(latency.percentile(50))
        #expect(abs(Double(seen) / 123_456_789 - 1) < 0.001)
    }

    @Test func `counts what took longer than an hour as an hour`() throws {
        var latency = Latency()
        latency.record(.max)
        #expect(latency.count == 1)
    }

    @Test func `of nothing has no percentiles`() {
        #expect(Latency().percentile(50) == nil)
    }
}

@Suite struct `The tally of a slice` {
    @Test func `marks every read, unless reads are sampled`() {
        var tally = Tally(capacity: 40)
        tally.mark()
        for _ in 0..<40 { tally.didRead() }
        tally.endReads()
        #expect(Array(tally.latencies).count == 40)
        #expect(tally.latencies.reduce(0, +) == tally.end - tally.start)
    }

    @Test func `times one read in so many by itself, and the whole`() {
        var tally = Tally(capacity: 200)
        tally.mark()
        tally.sample(true)
        for _ in 0..<200 { tally.didRead() }
        let before = tally.start
        tally.endReads()
        #expect(Array(tally.latencies).count == 200 / Tally.readsPerSample)
        #expect(tally.start == before && tally.end > before)
        #expect(tally.latencies.reduce(0, +) <= tally.end - tally.start)
    }

    @Test func `of fewer reads than a sample has a beginning and an end alone`() {
        var tally = Tally(capacity: 15)
        tally.mark()
        tally.sample(true)
        for _ in 0..<15 { tally.didRead() }
        tally.endReads()
        #expect(Array(tally.latencies).isEmpty)
        #expect(tally.end > tally.start)
    }
}
