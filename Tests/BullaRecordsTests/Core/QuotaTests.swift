import BullaRecords
import Testing

@Suite("Room for an account's records")
struct QuotaTests {
    private func fixture(_ byteCount: UInt64) throws -> CoreFixture {
        var limits = RecordLimits()
        limits.accountByteCount = byteCount
        return try CoreFixture(limits: limits)
    }

    private func save(
        _ name: String, _ count: Int, in view: DatabaseView, zone: String = CoreFixture.zone
    ) throws {
        let field = RecordChange.FieldChange.sealed(.bytes([UInt8](repeating: 7, count: count)))
        _ = try view.save(name, ["f": field], in: zone).record
    }

    private func expectFull(_ body: () throws -> Void) {
        let error = #expect(throws: RecordError.self) { try body() }
        #expect(error?.code == .quotaExceeded)
    }

    @Test("What has no room is refused, and deleting makes room")
    func records() throws {
        let fixture = try fixture(40_000)
        defer { withExtendedLifetime(fixture) {} }
        let view = try fixture.database()
        try save("a", 15_000, in: view)
        try save("b", 15_000, in: view)
        expectFull { try save("c", 15_000, in: view) }
        expectFull { try save("b", 30_000, in: view) }
        #expect(try !view.has("c"))
        try save("d", 1_000, in: view)
        _ = try view.delete("a")
        try save("c", 15_000, in: view)
    }

    @Test("All zones of an account count together, and those of others do not")
    func zones() throws {
        let fixture = try fixture(40_000)
        let view = try fixture.database()
        try view.createZone("other")
        try save("a", 30_000, in: view)
        expectFull { try save("a", 30_000, in: view, zone: "other") }
        try save("a", 30_000, in: try fixture.database(2))
        try view.deleteZone(CoreFixture.zone)
        try save("a", 30_000, in: view, zone: "other")
    }

    @Test("Assets count for each record that holds them, by their own length")
    func assets() throws {
        let fixture = try fixture(3 << 20)
        defer { withExtendedLifetime(fixture) {} }
        let view = try fixture.database()
        func asset(_ count: Int) throws -> RecordValue {
            let upload = try view.beginUpload()
            try upload.append([UInt8](repeating: 1, count: count))
            return .asset(try upload.finish())
        }
        let one = try asset(2 << 20)
        _ = try view.save("a", ["f": .plain(one)]).record
        expectFull { _ = try view.save("b", ["f": .plain(asset(2 << 20))]).record }
        expectFull { _ = try view.save("b", ["f": .plain(one)]).record }
        _ = try view.save("b", ["f": .plain(asset(1 << 19))]).record
        _ = try view.delete("a")
        _ = try view.save("c", ["f": .plain(asset(2 << 20))]).record
    }

    @Test("The public database has no owner whose room it takes")
    func publicDatabase() throws {
        let fixture = try fixture(1_000)
        let view = try fixture.core.database(.public, .server)
        let text = RecordChange.FieldChange.plain(.bytes([UInt8](repeating: 7, count: 20_000)))
        let zone = ZoneIdentifier.defaultName
        for name in ["a", "b"] { _ = try view.save(name, ["f": text], in: zone).record }
    }
}
