import Bulla
import BullaProcessSupport
import BullaTestSupport
import Testing

@Suite struct `A large value` {
    private static let byteCount = TestMode.pick(short: 64 << 20, long: 1 << 30)
    private static let growthLimit: UInt64 = 32 << 20

    @Test(arguments: [StoreKind.gcm, .plain])
    func `streams in and out within 32 MiB`(kind: StoreKind) throws {
        let files = try TestStore(kind)
        try files.open().close()
        let wrote = try stream("stream-in", files)
        let read = try stream("stream-out", files)
        #expect(read["bytes"] == UInt64(Self.byteCount))
        #expect(read["digest"] == wrote["digest"])
        let store = try files.open()
        try files.expectSound(store)
    }

    private func stream(_ job: String, _ files: TestStore) throws -> [String: UInt64] {
        let worker = try files.worker(job, "bytes=\(Self.byteCount)", "cache=8", "dirty=8")
        let values = try worker.values()
        _ = try worker.stop()
        let growth = try #require(values["growth"])
        #expect(growth > 0 && growth <= Self.growthLimit)
        return values
    }
}
