import BullaRecords
import Foundation
import Testing

@Suite("Saving records")
struct SavingTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    @Test("A record without a tag does not replace one that is there, and both are told")
    func createConflicts() async throws {
        try await database.save(.note("a", "first"))
        let mine = CKRecord.note("a", "second")
        let error = try #require(try await failure { try await database.save(mine) })
        #expect(error.code == .serverRecordChanged)
        #expect(error.serverRecord?["title"] as? String == "first")
        #expect(error.clientRecord === mine && error.ancestorRecord == nil)
        let info = error.userInfo
        let server = info[CKRecordChangedErrorServerRecordKey] as? CKRecord
        #expect(server?["title"] as? String == "first")
        #expect(info[CKRecordChangedErrorClientRecordKey] as? CKRecord === mine)
        let resolved = try #require(server)
        resolved["title"] = "both"
        try await database.save(resolved)
        #expect(try await database.record(for: mine.recordID)["title"] as? String == "both")
    }

    @Test("A record that others have changed is refused with three versions of it")
    func changeConflicts() async throws {
        let record = try await database.save(.note("a", "first"))
        let other = try await database.record(for: record.recordID)
        other["title"] = "theirs"
        try await database.save(other)
        record["title"] = "mine"
        let error = try #require(try await failure { try await database.save(record) })
        #expect(error.code == .serverRecordChanged)
        #expect(error.serverRecord?["title"] as? String == "theirs")
        #expect(error.clientRecord?["title"] as? String == "mine")
        #expect(error.ancestorRecord?["title"] as? String == "first")
        #expect(record["title"] as? String == "mine" && record.changedKeys() == ["title"])
    }

    @Test("A tag of a record that is gone is an unknown item")
    func gone() async throws {
        let record = try await database.save(.note("a", "t"))
        try await database.deleteRecord(withID: record.recordID)
        record["title"] = "u"
        try await expect(.unknownItem) { try await database.save(record) }
        try await expect(.unknownItem) { try await database.record(for: record.recordID) }
        try await database.deleteRecord(withID: record.recordID)
        try await database.modifyRecords(saving: [record], savePolicy: .changedKeys)
        #expect(try await database.record(for: record.recordID)["title"] as? String == "u")
    }

    @Test("Policies that do not compare save what was changed, or all")
    func policies() async throws {
        let record = CKRecord.note("a", "first")
        record["n"] = 1
        record.encryptedValues["s"] = "first"
        try await database.save(record)
        let other = try await database.record(for: record.recordID)
        other["title"] = "theirs"
        other["n"] = 2
        other["added"] = true
        other.encryptedValues["s"] = "theirs"
        try await database.save(other)
        record["n"] = 3
        try await database.modifyRecords(saving: [record], savePolicy: .changedKeys)
        #expect(record["title"] as? String == "theirs" && record["n"] as? Int == 3)
        #expect(record.encryptedValues["s"] as? String == "theirs")
        try await database.save(record)
        // Another user's copy, of the previous version.
        other["n"] = nil
        try await database.modifyRecords(saving: [other], savePolicy: .allKeys)
        let read = try await database.record(for: record.recordID)
        #expect(read["title"] as? String == "theirs" && read["n"] == nil)
        #expect(read["added"] as? Bool == true)
        #expect(read.encryptedValues["s"] as? String == "theirs")
    }

    @Test("In an atomic batch that fails, every other item says so, and nothing is changed")
    func atomicBatches() async throws {
        try await database.save(.note("there", "t"))
        try await database.save(.note("gone", "t"))
        let notes = ["x", "there", "y"].map { CKRecord.note($0, "new") }
        let gone = CKRecord.note("gone").recordID
        let (saved, deleted) = try await database.modifyRecords(saving: notes, deleting: [gone])
        #expect(saved[notes[0].recordID]?.code == .batchRequestFailed)
        #expect(saved[notes[1].recordID]?.code == .serverRecordChanged)
        #expect(saved[notes[2].recordID]?.code == .batchRequestFailed)
        #expect(deleted[gone]?.code == .batchRequestFailed)
        try await expect(.unknownItem) { try await database.record(for: notes[0].recordID) }
        _ = try await database.record(for: gone)
        let each = try await database.modifyRecords(
            saving: notes, deleting: [gone], atomically: false)
        #expect(
            notes.map { each.saveResults[$0.recordID]?.code } == [nil, .serverRecordChanged, nil])
        #expect(each.deleteResults[gone]?.code == nil)
        try await expect(.unknownItem) { try await database.record(for: gone) }
    }

    @Test("A value that cannot be saved fails its batch like any other fault")
    func batchesWithFaults() async throws {
        let (good, bad) = (CKRecord.note("good", "t"), CKRecord.note("bad"))
        bad["f"] = UInt64.max
        let saved = try await database.modifyRecords(saving: [good, bad]).saveResults
        #expect(saved[good.recordID]?.code == .batchRequestFailed)
        #expect(saved[bad.recordID]?.code == .invalidArguments)
        let each = try await database.modifyRecords(saving: [good, bad], atomically: false)
        #expect(each.saveResults[good.recordID]?.code == nil)
        #expect(each.saveResults[bad.recordID]?.code == .invalidArguments)
    }

    @Test("Changes of several zones go their own ways")
    func severalZones() async throws {
        let plain = CKRecord(recordType: "Note")
        let nowhere = CKRecord(
            recordType: "Note", zoneID: CKRecordZone.ID(zoneName: "Nowhere"))
        let foreign = CKRecord(
            recordType: "Note", zoneID: CKRecordZone.ID(zoneName: "Notes", ownerName: "_\(0)"))
        let records = [plain, nowhere, foreign, .note("a")]
        let saved = try await database.modifyRecords(saving: records).saveResults
        #expect(
            records.map { saved[$0.recordID]?.code } == [nil, .zoneNotFound, .zoneNotFound, nil])
        let read = try await database.records(for: records.map(\.recordID))
        #expect(
            records.map { read[$0.recordID]?.code } == [nil, .zoneNotFound, .zoneNotFound, nil])
    }

    @Test("A request names each record once, and not too many of them")
    func requests() async throws {
        let many = (0..<201).map { CKRecord.note("r\($0)") }
        try await expect(.limitExceeded) { try await database.modifyRecords(saving: many) }
        try await expect(.limitExceeded) {
            try await database.records(for: many.map(\.recordID))
        }
        let twice = [CKRecord.note("a"), CKRecord.note("a")]
        try await expect(.invalidArguments) { try await database.modifyRecords(saving: twice) }
        let results = try await database.modifyRecords(saving: Array(many.prefix(200)))
        #expect(results.saveResults.values.allSatisfy { $0.code == nil })
    }

    @Test("A child gives its parent another tag, and needs it")
    func parents() async throws {
        let folder = try await database.save(.note("folder"))
        let child = CKRecord.note("child")
        child.setParent(folder)
        #expect(child.parent?.recordID == folder.recordID)
        try await database.save(child)
        let read = try await database.record(for: child.recordID)
        #expect(
            read.parent?.recordID == folder.recordID
                && read.parent?.action == CKRecord.ReferenceAction.none)
        let touched = try await database.record(for: folder.recordID)
        #expect(touched.recordChangeTag != folder.recordChangeTag)
        read.parent = nil
        try await database.save(read)
        #expect(try await database.record(for: child.recordID).parent == nil)
        child.setParent(CKRecord.note("nobody").recordID)
        try await expect(.referenceViolation) {
            try await database.modifyRecords(saving: [child], savePolicy: .changedKeys)
                .saveResults[child.recordID]?.get()
        }
    }

    @Test("What validating references lead to is not deleted")
    func validation() async throws {
        let target = try await database.save(.note("target"))
        let keeper = CKRecord.note("keeper")
        keeper["to"] = CKRecord.Reference(record: target, action: .validate)
        try await database.save(keeper)
        try await expect(.referenceViolation) {
            try await database.deleteRecord(withID: target.recordID)
        }
        try await database.deleteRecord(withID: keeper.recordID)
        try await database.deleteRecord(withID: target.recordID)
    }

    @Test("What is changed while a record is saved stays to be saved")
    func changedMeanwhile() async throws {
        let record = CKRecord.note("a", "sent")
        async let saved = database.save(record)
        // Whether it comes before, during or after the save, the change is never lost.
        record["later"] = 1
        _ = try await saved
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        #expect(read["later"] as? Int == 1 && read["title"] as? String == "sent")
        #expect(record.changedKeys().isEmpty)
    }

    @Test("Many tasks that count in one record lose no count")
    func contention() async throws {
        let id = try await database.save(.note("counter")).recordID
        let database = database
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var count = 0
                    while count < 25 {
                        let record = try await database.record(for: id)
                        record.encryptedValues["n"] =
                            (record.encryptedValues["n"] as? Int ?? 0) + 1
                        do {
                            try await database.save(record)
                            count += 1
                        } catch CKError.serverRecordChanged { continue }
                    }
                }
            }
            try await group.waitForAll()
        }
        let read = try await database.record(for: id)
        #expect(read.encryptedValues["n"] as? Int == 100)
    }
}
