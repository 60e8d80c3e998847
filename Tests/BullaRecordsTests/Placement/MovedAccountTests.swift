import Bulla
import BullaMemory
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Testing

@Suite("An account that has moved")
struct MovedAccountTests {
    private let rooms: [EmbeddedRoom]
    private let sites: PlacedSites
    private let fixture: CoreFixture

    init() throws {
        rooms = try (0..<3).map { _ in try EmbeddedRoom(.plain) }
        sites = try PlacedSites(
            rooms.map { EmbeddedBackend($0.store) }, patience: .seconds(60))
        fixture = try CoreFixture(backend: sites.placed)
    }

    private func move(_ number: UInt8, to target: String) throws {
        let database = Database(fixture.place, owner: try CoreFixture.identifier(number))
        sites.note(fixture.clock.next())
        #expect(try sites.move(database, to: target))
        try sites.expectSettled(database, at: target)
    }

    @Test("opens its records, and follows them with its former tokens")
    func tokens() throws {
        let view = try fixture.database()
        for number in 0..<5 as Range<Int64> {
            _ = try view.save("r\(number)", ["s": .sealed(.int64(number))]).record
        }
        let zoneToken = try view.changes(in: CoreFixture.zone, limit: 3).token
        let token = try view.databaseChanges().token
        try move(1, to: "site2")
        _ = try view.save("late", ["s": .sealed(.int64(9))]).record
        let changes = try view.changes(in: CoreFixture.zone, since: zoneToken)
        #expect(changes.changed.map(\.name) == ["r3", "r4", "late"])
        #expect(try changes.changed[0].record.get().value(of: "s") == .int64(3))
        #expect(try view.databaseChanges(since: token).changed.map(\.name) == [CoreFixture.zone])
        #expect(try view.verify(CoreFixture.zone).isComplete)
        try move(1, to: "site1")
        #expect(try view.changes(in: CoreFixture.zone, since: changes.token).changed.isEmpty)
        #expect(try view.verify(CoreFixture.zone).isComplete)
    }

    @Test("starts over where its site was restored, and not before; others look at it again")
    func restored() throws {
        let (owner, invitation) = try fixture.shared(with: [2: .readOnly])
        try fixture.accept(invitation, 2)
        let shared = try fixture.core.database(.shared, .account(fixture.account(2)))
        _ = try owner.save("a", ["s": .sealed(.int64(1))]).record
        let (token, all) = (
            try owner.changes(in: CoreFixture.zone).token, try shared.databaseChanges()
        )
        #expect(all.changed.count == 1)
        try move(1, to: "site2")
        let site = try sites.placed.site("site2")
        #expect(try site.siteTimeline() != sites.placed.timeline(of: owner.database))
        #expect(try owner.changes(in: CoreFixture.zone, since: token).changed.isEmpty)
        #expect(try shared.databaseChanges(since: all.token).changed.isEmpty)
        // As after a restore of the site: its timeline is not the one at the account's arrival, so
        // the timeline that came with the account no longer counts.
        let row = try #require(try site.moves.home(of: owner.database))
        var restored = row
        restored.timeline = HomeRow.BroughtTimeline(try .new(), arrival: try .new())
        #expect(try site.moves.replaceHome(of: owner.database, row, with: restored))
        let error = #expect(throws: RecordError.self) {
            try owner.changes(in: CoreFixture.zone, since: token)
        }
        #expect(error?.code == .changeTokenExpired)
        #expect(
            try shared.databaseChanges(since: all.token).changed.map(\.name) == [CoreFixture.zone])
    }

    @Test("has its files, also those that arrive while it moves")
    func assets() throws {
        let view = try fixture.database()
        let file = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        func upload(_ pause: () throws -> Void) throws -> AssetDescriptor {
            let upload = try view.beginUpload()
            try upload.append(file.prefix(3 << 20))
            try pause()
            try upload.append(file.dropFirst(3 << 20))
            return try upload.finish()
        }
        func bytes(_ asset: AssetDescriptor) throws -> [UInt8] {
            var bytes: [UInt8] = []
            try view.asset(asset).read { bytes += $0 }
            return bytes
        }
        let held = try upload {}
        _ = try view.save("held", ["file": .plain(.asset(held))]).record
        let waiting = try upload {}
        let moving = try upload { try move(1, to: "site2") }
        for (name, asset) in [("waiting", waiting), ("moving", moving)] {
            _ = try view.save(name, ["file": .plain(.asset(asset))]).record
        }
        for asset in [held, waiting, moving] { #expect(try bytes(asset) == file) }
        for site in [0, 1] { #expect(try rooms[site].store.assetChunkCount == 0) }
        _ = try view.delete("held")
        #expect(throws: RecordError.self) { try bytes(held) }
    }

    @Test("shares with accounts of other sites, and they with it")
    func shares() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let participant = try fixture.accept(token, 2)
        try move(1, to: "site0")
        _ = try owner.save("a", ["s": .sealed(.string("from the owner"))]).record
        #expect(try participant.record("a").value(of: "s") == .string("from the owner"))
        try move(2, to: "site2")
        _ = try participant.save("b", ["s": .sealed(.string("from the other"))]).record
        #expect(try owner.record("b").value(of: "s") == .string("from the other"))
        let shared = try fixture.core.database(.shared, .account(fixture.account(2)))
        #expect(try shared.zones().map(\.name) == [CoreFixture.zone])
        #expect(try shared.databaseChanges().changed.count == 1)
        try participant.deleteZone(CoreFixture.zone)
        #expect(try shared.zones().isEmpty)
    }

    @Test("has the schema that other sites have, and new fields of any site")
    func schemas() throws {
        let (one, other) = (try fixture.database(1), try fixture.database(3))
        try move(3, to: "site2")
        _ = try one.save("a", ["first": .plain(.int64(1))]).record
        _ = try other.save("a", ["second": .plain(.int64(2))]).record
        _ = try one.save("b", ["second": .plain(.int64(3))]).record
        #expect(try other.save("c", ["first": .plain(.string("no"))]).code == .invalidArguments)
        let places = try sites.names.map {
            try sites.placed.site($0).document(PlaceDocument.schema, of: fixture.place)
        }
        #expect(Set(places).count == 1 && places[0] != nil)
    }

    /// A core over another gateway, as after a restart of the service.
    private func later() throws -> CoreFixture {
        let sites = try PlacedSites(
            rooms.map { EmbeddedBackend($0.store) }, patience: .seconds(60))
        return try CoreFixture(backend: sites.placed)
    }

    @Test("has a newer schema, which its site brings back after a restore of the first one")
    func restoredSchema() throws {
        #expect(
            try sites.placed.replace("key mark", of: fixture.place, version: 0, with: [1]))
        let view = try fixture.database()
        _ = try view.save("a", ["first": .plain(.int64(1))]).record
        try rooms[0].backUp(as: "backup")
        _ = try view.save("b", ["second": .plain(.int64(2))]).record
        let schema = try fixture.core.exportSchema()
        try rooms[0].restore("backup")
        let later = try later()
        #expect(try later.core.exportSchema() == schema)
        let again = try later.database()
        #expect(try again.save("c", ["second": .plain(.string("no"))]).code == .invalidArguments)
        _ = try again.save("c", ["second": .plain(.int64(3))]).record
    }

    @Test("is refused by a site with another schema, which is not brought back")
    func otherSchema() throws {
        let place = fixture.place
        #expect(try sites.placed.replace("key mark", of: place, version: 0, with: [1]))
        let view = try fixture.database()
        _ = try view.save("a", ["first": .plain(.int64(1))]).record
        _ = try fixture.database(3)
        try move(3, to: "site0")
        let site = EmbeddedBackend(rooms[1].store)
        let schema = try #require(try site.document(PlaceDocument.schema, of: place))
        for version in [schema.version, schema.version + 5] {
            // The schema of the second site has a history that the first site does not know, or it
            // is forged.
            try put(StoredDocument(version: version, [1, 2, 3]))
            let later = try later()
            let error = #expect(throws: RecordError.self) { try later.database() }
            #expect(error?.code == .damaged)
            _ = try later.database(3).save("x", ["first": .plain(.int64(1))]).record
            let main = try EmbeddedBackend(rooms[0].store).document(
                PlaceDocument.schema, of: place)
            #expect(main == schema)
        }
    }

    @Test("is served again by a site with another schema after the schema has changed")
    func changedSchema() throws {
        let place = fixture.place
        #expect(try sites.placed.replace("key mark", of: place, version: 0, with: [1]))
        let view = try fixture.database()
        _ = try view.save("a", ["first": .plain(.int64(1))]).record
        _ = try fixture.database(3)
        try move(3, to: "site0")
        let schema = try #require(
            try EmbeddedBackend(rooms[1].store).document(PlaceDocument.schema, of: place))
        try put(StoredDocument(version: schema.version, [1, 2, 3]))
        let later = try later()
        _ = try later.database(3).save("y", ["second": .plain(.int64(1))]).record
        _ = try later.database().save("b", ["second": .plain(.int64(2))]).record
    }

    /// Puts another schema at the second site.
    private func put(_ schema: StoredDocument) throws {
        let key = EmbeddedKey.document(PlaceDocument.schema, fixture.place)
        try rooms[1].store.write { change in
            let tree = try change.tree(named: "documents")
            try change.put(DocumentRow.bytes(schema), forKey: key, in: tree)
        }
    }

    @Test("is refused by a site with records of another service")
    func strangers() throws {
        _ = try sites.placed.replace("key mark", of: fixture.place, version: 0, with: [1])
        let stranger = try sites.placed.site("site1")
        #expect(try stranger.replace("key mark", of: fixture.place, version: 0, with: [2]))
        let error = #expect(throws: RecordError.self) { try fixture.database() }
        #expect(error?.code == .damaged)
    }

    @Test("is found by nobody whom the container's key does not vouch for")
    func forgedMap() throws {
        let view = try fixture.database()
        let name = "home of \(try CoreFixture.identifier(1).identifier.text)"
        let first = try sites.placed.site("site0")
        var bytes = try #require(try first.document(name, of: fixture.place)).bytes
        bytes[1] ^= 1
        #expect(try first.replace(name, of: fixture.place, version: 1, with: bytes))
        let other = try PlacedSites(rooms.map { EmbeddedBackend($0.store) })
        let error = #expect(throws: RecordError.self) {
            try other.placed.zones(in: view.database)
        }
        #expect(error?.code == .damaged)
    }
}
