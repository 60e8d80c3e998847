import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Testing

@Suite("An account that moves under writers and followers")
struct MoveStormTests {
    @Test(
        "loses and doubles nothing, and no follower skips anything",
        arguments: TestMode.seeds(TestMode.pick(short: 1, long: 10)))
    func storm(seed: UInt64) throws {
        let rooms = try (0..<3).map { _ in try EmbeddedRoom(.plain) }
        let batchCount = TestMode.pick(short: 150, long: 1_000)
        try MoveStorm(seed: seed, batchCount: batchCount) {
            try PlacedSites(rooms.map { EmbeddedBackend($0.store) }, patience: .milliseconds(50))
        }.run()
    }
}
