import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Testing

@Suite("Two embedded stores as sites")
struct EmbeddedSiteTests {
    @Test("do what every site must", arguments: SiteCheck.all)
    func conforms(check: SiteCheck) throws {
        let rooms = try (0..<2).map { _ in try EmbeddedRoom() }
        try check.run(EmbeddedBackend(rooms[0].store), EmbeddedBackend(rooms[1].store))
    }

    @Test("have pages that end before the first batch for which they have no room")
    func batches() throws {
        var bench = BackendBench(MemoryBackend())
        var head = bench.newZone()
        head.version = UInt64(ZonePage.batchCount) + 2
        let batches = try (1...head.version - 1).map {
            (identifier: try RandomIdentifier.new(), first: $0, time: Int64(0))
        }
        let row = ZonePage.Row("often", version: head.version, .entry(bench.entry()))
        func page(after start: UInt64) throws -> ZonePage {
            ZonePage(
                head, try .new(), forgottenVersion: 0, after: start, limit: 64, [row],
                Array(batches.dropFirst(Int(start)).prefix(ZonePage.batchCount + 1)))
        }
        let first = try page(after: 0)
        #expect(first.batches.count == ZonePage.batchCount && first.records.isEmpty)
        #expect(first.end == UInt64(ZonePage.batchCount) && !first.isLast)
        #expect(first.isValid(for: ZoneLife(head), after: 0, limit: 64))
        let last = try page(after: first.end)
        #expect(last.batches.count == 1 && last.records.count == 1 && last.isLast)
        #expect(last.isValid(for: ZoneLife(head), after: first.end, limit: 64))
    }
}
