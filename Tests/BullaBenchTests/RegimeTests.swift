import BullaBenchKit
import Testing

@Suite struct `A regime` {
    private static func regime(_ workload: Workload, cacheByteLimit: Int) -> Regime {
        var options = OverheadOptions()
        options.cacheByteLimit = cacheByteLimit
        let facts = StoreFacts(
            pageByteCount: 4_096, suite: "aes-256-gcm", liveByteCount: 1 << 20)
        return Regime(workload, options, facts)
    }

    @Test func `is hot only where the cache holds the store`() {
        #expect(Self.regime(.scan, cacheByteLimit: 1 << 20).temperature == .hot)
        #expect(Self.regime(.scan, cacheByteLimit: 1 << 19).temperature == .overCache)
        #expect(Self.regime(.bulkLoad, cacheByteLimit: 1 << 20).temperature == .empty)
    }

    @Test func `is told in one line`() {
        let text = Self.regime(.pointRead, cacheByteLimit: 64 << 20).text
        #expect(
            text == "hot, 10000 a snapshot, workers x threads 1 x 1, pages 4 KiB, "
                + "cache 64 MiB, aes-256-gcm")
        #expect(Self.regime(.mix, cacheByteLimit: 64 << 20).text.hasPrefix("hot, durable, "))
    }
}
