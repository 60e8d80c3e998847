import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Testing

@Suite("A large asset")
struct AssetMemoryTests {
    private static let byteCount = 50_000_000
    private static let growthLimit: UInt64 = 16 << 20

    @Test("goes up and down while its process grows by no more than 16 MiB")
    func memory() throws {
        let crew = try TrialCrew()
        let site = try crew.site()
        let account = try site.keyring.create(in: TrialSite.place, unlockedBy: TrialSite.key(2))
        try site.close()
        let worker = try crew.worker(
            "asset", "account=\(account.userRecordName)", "bytes=\(Self.byteCount)")
        let growth = try worker.values()
        try crew.expectEnd(of: worker)
        TestMode.tell("growth: \(growth)")
        #expect(growth.count == 2)
        for (way, byteCount) in growth {
            #expect(byteCount <= Self.growthLimit, "\(way)")
        }
    }
}
