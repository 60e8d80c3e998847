import BullaRecords
import Foundation
import Testing

@Suite("A record")
struct RecordTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    @Test("that is new has a name, and nothing that saving gives")
    func fresh() {
        let record = CKRecord(recordType: "Note")
        #expect(record.recordID != CKRecord(recordType: "Note").recordID)
        #expect(record.recordID.zoneID == .default && record.recordType == "Note")
        #expect(record.recordID.zoneID.zoneName == "_defaultZone")
        #expect(record.recordID.zoneID.ownerName == CKCurrentUserDefaultName)
        #expect(record.recordChangeTag == nil && record.creationDate == nil)
        #expect(record.creatorUserRecordID == nil && record.parent == nil)
        #expect(record.allKeys().isEmpty && record.changedKeys().isEmpty)
    }

    @Test("tells by whom and when it was saved, and has another tag each time")
    func metadata() async throws {
        let record = try await database.save(.note("a", "t"))
        let (tag, created) = (record.recordChangeTag, try #require(record.creationDate))
        #expect(record.modificationDate == created && tag?.count == 24)
        #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        record["title"] = "u"
        try await database.save(record)
        #expect(record.recordChangeTag != tag && record.creationDate == created)
        let open = fixture.container.publicCloudDatabase
        let shown = try await open.save(CKRecord(recordType: "Note"))
        try fixture.container.signOut()
        let seen = try await open.record(for: shown.recordID)
        #expect(seen.creatorUserRecordID?.recordName == fixture.user.recordName)
    }

    @Test("copies with its values and changes, each for itself")
    func copies() async throws {
        let record = try await database.save(.note("a", "t"))
        record["n"] = 1
        let copy = try #require(record.copy() as? CKRecord)
        copy["n"] = 2
        #expect(record["n"] as? Int == 1 && copy["title"] as? String == "t")
        #expect(copy.changedKeys() == ["n"] && copy.recordChangeTag == record.recordChangeTag)
    }

    @Test("is saved over what was read by a client that stored only its system fields")
    func systemFields() async throws {
        let folder = try await database.save(.note("folder"))
        let record = CKRecord.note("a", "t")
        record.setParent(folder)
        try await database.save(record)
        func archived() throws -> CKRecord {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            record.encodeSystemFields(with: archiver)
            archiver.finishEncoding()
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            unarchiver.requiresSecureCoding = true
            return try #require(CKRecord(coder: unarchiver))
        }
        let kept = try archived()
        #expect(kept.recordID == record.recordID && kept.recordType == "Note")
        #expect(kept.recordChangeTag == record.recordChangeTag && kept.allKeys().isEmpty)
        #expect(kept.creationDate == record.creationDate)
        #expect(kept.parent?.recordID == folder.recordID)
        #expect(kept.creatorUserRecordID == record.creatorUserRecordID)
        kept["n"] = 5
        try await database.save(kept)
        let read = try await database.record(for: record.recordID)
        #expect(read["title"] as? String == "t" && read["n"] as? Int == 5)
        record["title"] = "late"
        try await expect(.serverRecordChanged) { try await database.save(record) }
        let empty = NSKeyedArchiver(requiringSecureCoding: true)
        empty.finishEncoding()
        #expect(CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: empty.encodedData)) == nil)
    }

    @Test("has names that are told apart by what they say, and that are archived")
    func identifiers() throws {
        let zone = CKRecordZone.ID(zoneName: "Notes")
        let id = CKRecord.ID(recordName: "a", zoneID: zone)
        let same = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes"))
        #expect(Set([id, same, CKRecord.ID(recordName: "a")]).count == 2)
        #expect(CKRecordZone.ID(zoneName: "Notes", ownerName: "_x") != zone)
        let reference = CKRecord.Reference(recordID: id, action: .validate)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: reference, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: CKRecord.Reference.self, from: data)
        #expect(read == reference && read?.recordID.zoneID == zone)
    }

    @Test("shows the fields that were asked for alone, and keeps the others")
    func desiredKeys() async throws {
        let record = CKRecord.note("a", "t")
        record["n"] = 1
        record.encryptedValues["secret"] = "s"
        record.encryptedValues["other"] = "o"
        try await database.save(record)
        let results = try await database.records(
            for: [record.recordID], desiredKeys: ["n", "secret"])
        let part = try #require(results[record.recordID]).get()
        #expect(part.allKeys() == ["n"] && part["title"] == nil)
        #expect(part.encryptedValues.allKeys() == ["secret"])
        #expect(part.encryptedValues["other"] == nil)
        part["n"] = 2
        try await database.modifyRecords(saving: [part], savePolicy: .allKeys)
        let read = try await database.record(for: record.recordID)
        #expect(read["title"] as? String == "t" && read["n"] as? Int == 2)
        #expect(read.encryptedValues["other"] as? String == "o")
    }

    @Test("says nothing of its values when it is printed")
    func descriptions() {
        let record = CKRecord.note("a", "hidden")
        record.encryptedValues["secret"] = "hidden"
        #expect(!"\(record)".contains("hidden") && "\(record)".contains("Note a in Notes"))
    }
}
