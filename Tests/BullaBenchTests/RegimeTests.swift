import BullaBenchKit
import Testing

@Suite struct `A regime` {
    @Test func `is told in one line`() throws {
        let regime: Regime = try fromFields([
            "temperature": "hot", "readsPerSnapshot": 10_000, "workers": 1, "threads": 1,
            "cacheByteLimit": 64 << 20, "setting": "pages 4 KiB, aes-256-gcm",
        ])
        #expect(
            regime.text == "hot, 10000 a snapshot, workers x threads 1 x 1, cache 64 MiB, "
                + "pages 4 KiB, aes-256-gcm")
        var other = regime
        (other.temperature, other.durability, other.rate) = (.disk, "full", 2_000)
        #expect(other.text.hasPrefix("disk, durable, 10000 a snapshot, workers x threads 1 x 1, "))
        #expect(other.text.contains("open loop at 2000/s"))
    }
}
