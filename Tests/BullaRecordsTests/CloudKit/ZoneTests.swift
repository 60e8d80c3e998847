import Bulla
import BullaRecords
import Foundation
import Testing

@Suite("Zones, and following them")
struct ZoneTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    private var zoneID: CKRecordZone.ID { ContainerFixture.zoneID }

    @Test("A zone is made, looked up, and deleted with its records")
    func zones() async throws {
        let zones = try await database.allRecordZones()
        #expect(Set(zones.map(\.zoneID)) == [.default, zoneID] && zones.count == 2)
        let found = try await database.recordZone(for: zoneID)
        #expect(found.capabilities == [.fetchChanges, .atomic, .sharing, .zoneWideSharing])
        #expect(try await database.recordZone(for: .default).capabilities == [])
        let record = try await database.save(.note("a"))
        try await database.save(CKRecordZone(zoneID: zoneID))
        _ = try await database.record(for: record.recordID)
        try await database.deleteRecordZone(withID: zoneID)
        try await expect(.zoneNotFound) { try await database.recordZone(for: zoneID) }
        try await expect(.zoneNotFound) { try await database.record(for: record.recordID) }
        try await expect(.zoneNotFound) { try await database.deleteRecordZone(withID: zoneID) }
        try await expect(.invalidArguments) {
            try await database.deleteRecordZone(withID: .default)
        }
        try await database.save(CKRecordZone(zoneID: zoneID))
        try await expect(.unknownItem) { try await database.record(for: record.recordID) }
    }

    @Test("A zone is verified as a whole")
    func verified() async throws {
        #expect(try await database.verifyRecordZone(withID: zoneID) == 0)
        for name in ["a", "b", "c"] { try await database.save(.note(name)) }
        try await database.deleteRecord(withID: CKRecord.note("b").recordID)
        #expect(try await database.verifyRecordZone(withID: zoneID) == 2)
        #expect(try await database.verifyRecordZone(withID: .default) == 0)
        let everybodys = fixture.container.publicCloudDatabase
        #expect(try await everybodys.verifyRecordZone(withID: .default) == 0)
        try await expect(.zoneNotFound) {
            try await database.verifyRecordZone(withID: CKRecordZone.ID(zoneName: "Nowhere"))
        }
        // Put an older record in the place of a newer one.
        let store = try await Store.open(
            at: fixture.folder + "/records.bulla", key: ContainerFixture.key(0))
        let rows = RecordRows(store)
        let name = Array("a".utf8)
        var older: [UInt8] = []
        try rows.change("records") { rows in
            older = try #require(rows.first { $0.key.dropFirst(16).elementsEqual(name) }?.value)
        }
        let record = try await database.record(for: CKRecord.note("a").recordID)
        record["title"] = "newer"
        try await database.save(record)
        try rows.change("records") { rows in
            let key = try #require(rows.keys.first { $0.dropFirst(16).elementsEqual(name) })
            rows[key] = older
        }
        #expect(try await database.record(for: record.recordID)["title"] == nil)
        try await expect(.internalError) { try await database.verifyRecordZone(withID: zoneID) }
        try await store.close()
    }

    @Test("Several zones are made and deleted, each with its own result")
    func severalZones() async throws {
        let names = ["A", "B", "a name"].map { CKRecordZone(zoneName: $0) }
        let (saved, deleted) = try await database.modifyRecordZones(
            saving: names, deleting: [zoneID, CKRecordZone.ID(zoneName: "C")])
        #expect(names.map { saved[$0.zoneID]?.code } == [nil, nil, .invalidArguments])
        #expect(deleted[zoneID]?.code == nil)
        #expect(deleted[CKRecordZone.ID(zoneName: "C")]?.code == .zoneNotFound)
        let found = try await database.recordZones(for: names.map(\.zoneID))
        #expect(names.map { found[$0.zoneID]?.code } == [nil, nil, .zoneNotFound])
    }

    @Test("The public database has the default zone alone")
    func publicDatabase() async throws {
        let database = fixture.container.publicCloudDatabase
        try await expect(.invalidArguments) { try await database.save(CKRecordZone(zoneName: "A")) }
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
    }

    @Test("A follower gets every record once as it is now, and every deletion")
    func following() async throws {
        for number in 0..<5 { try await database.save(.note("r\(number)", "t\(number)")) }
        var titles: [String: String] = [:]
        var token: CKServerChangeToken?
        var pages = 0
        func follow() async throws {
            var hasMore = true
            while hasMore {
                let page = try await database.recordZoneChanges(
                    inZoneWith: zoneID, since: token, resultsLimit: 2)
                for (id, result) in page.modificationResultsByID {
                    titles[id.recordName] = try result.get().record["title"]
                }
                for deletion in page.deletions {
                    #expect(deletion.recordType == "Note")
                    titles[deletion.recordID.recordName] = nil
                }
                (token, hasMore) = (page.changeToken, page.moreComing)
                pages += 1
            }
        }
        try await follow()
        #expect(titles.count == 5 && titles["r3"] == "t3" && pages == 3)
        let changed = try await database.record(for: CKRecord.note("r3").recordID)
        changed["title"] = "new"
        try await database.modifyRecords(
            saving: [changed], deleting: [CKRecord.note("r1").recordID])
        try await follow()
        #expect(titles.count == 4 && titles["r3"] == "new" && titles["r1"] == nil)
    }

    @Test("A follower may ask for some fields, and keeps its token in an archive")
    func tokens() async throws {
        let record = CKRecord.note("a", "t")
        record["n"] = 1
        try await database.save(record)
        let page = try await database.recordZoneChanges(
            inZoneWith: zoneID, since: nil, desiredKeys: ["n"])
        let found = try #require(page.modificationResultsByID[record.recordID]).get().record
        #expect(found.allKeys() == ["n"])
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: page.changeToken, requiringSecureCoding: true)
        let token = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: CKServerChangeToken.self, from: data)
        #expect(token == page.changeToken)
        let next = try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
        #expect(next.modificationResultsByID.isEmpty && !next.moreComing)
    }

    @Test("A token of another zone, or of another life of this one, has expired")
    func expiredTokens() async throws {
        try await database.save(.note("a"))
        let token = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        try await database.deleteRecordZone(withID: zoneID)
        try await expect(.zoneNotFound) {
            try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
        }
        try await database.save(CKRecordZone(zoneID: zoneID))
        try await expect(.changeTokenExpired) {
            try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
        }
        try await expect(.invalidArguments) {
            try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        }
        try await expect(.invalidArguments) {
            try await database.recordZoneChanges(inZoneWith: zoneID, since: nil, resultsLimit: 0)
        }
    }
}
