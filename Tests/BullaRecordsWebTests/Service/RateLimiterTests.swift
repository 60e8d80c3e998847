import BullaRecordsWeb
import Testing

@Suite("Limits of rates")
struct RateLimiterTests {
    @Test("A burst passes, then so many a second, for each name apart")
    func burst() {
        let limiter = RateLimiter(2, burst: 3)
        for _ in 0..<3 { #expect(limiter.wait(for: "a", now: 0) == nil) }
        #expect(limiter.wait(for: "a", now: 0) == 1)
        #expect(limiter.wait(for: "b", now: 0) == nil)
        #expect(limiter.wait(for: "a", now: 499) == 1)
        #expect(limiter.wait(for: "a", now: 500) == nil)
        #expect(limiter.wait(for: "a", now: 500) == 1)
        #expect(limiter.wait(for: "a", now: 1_000_000) == nil)
    }

    @Test("A look takes nothing, and a clock set back fills nothing")
    func looks() {
        let limiter = RateLimiter(6, perSeconds: 60, burst: 1)
        for _ in 0..<5 { #expect(limiter.wait(for: "a", now: 50, isCounted: false) == nil) }
        #expect(limiter.wait(for: "a", now: 50) == nil)
        #expect(limiter.wait(for: "a", now: 50, isCounted: false) == 10)
        #expect(limiter.wait(for: "a", now: 0) == 10)
        #expect(limiter.wait(for: "a", now: 10_050) == nil)
    }

    @Test("It forgets the names whose buckets are full")
    func memory() {
        let limiter = RateLimiter(1, burst: 1)
        for name in 0..<100_000 {
            #expect(limiter.wait(for: String(name), now: Int64(name)) == nil)
        }
        #expect(limiter.count < 5_000)
    }
}
