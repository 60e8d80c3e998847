import BullaRecords
import Foundation
import Testing

@Suite("Encrypted values")
struct EncryptedValuesTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    @Test("are used as Apple prints it, and read by another device")
    func printedSamples() async throws {
        let myRecord = CKRecord.note("a")
        PrintedSamples.encrypt(myRecord)
        #expect(PrintedSamples.decrypt(myRecord) == "Sensitive value")
        #expect(PrintedSamples.property() == "Maria Ruiz")
        try await database.save(myRecord)
        let contact = PrintedSamples.contact(name: "M", phoneNumber: "555")
        try await fixture.container.privateCloudDatabase.save(contact)

        let other = try await fixture.reopened()
        try await other.signIn(fixture.user, with: ContainerFixture.key(1))
        let read = try await other.privateCloudDatabase.record(for: myRecord.recordID)
        #expect(PrintedSamples.decrypt(read) == "Sensitive value")
        let found = try await other.privateCloudDatabase.record(for: contact.recordID)
        #expect(found["name"] as? String == "M" && found["phoneNumber"] == nil)
        #expect(found.encryptedValues["phoneNumber"] as? String == "555")
        #expect(found.encryptedValues["name"] == nil)
    }

    @Test("have keys of their own, beside those of plain ones")
    func keys() async throws {
        let record = CKRecord.note("a", "t")
        record.encryptedValues["secret"] = 5
        #expect(record.allKeys() == ["title"] && record.changedKeys() == ["title"])
        #expect(record.encryptedValues.allKeys() == ["secret"])
        try await database.save(record)
        #expect(record.encryptedValues.allKeys() == ["secret"])
        #expect(record.encryptedValues.changedKeys().isEmpty && record.changedKeys().isEmpty)
        record.encryptedValues["secret"] = nil
        #expect(record.encryptedValues.allKeys().isEmpty)
        #expect(record.encryptedValues.changedKeys() == ["secret"])
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        #expect(read.encryptedValues.allKeys().isEmpty && read.allKeys() == ["title"])
    }

    @Test("refuse references and assets, and a field that is plain")
    func refusals() async throws {
        let record = CKRecord.note("a", "t")
        let target = CKRecord.Reference(recordID: CKRecord.note("b").recordID, action: .none)
        record.encryptedValues["to"] = target
        let error = try #require(try await failure { try await database.save(record) })
        #expect(error.code == .invalidArguments)
        #expect(error.message.contains("to: references and assets are never encrypted"))
        record.encryptedValues["to"] = nil
        record["to"] = target
        record.encryptedValues["title"] = "x"
        try await expect(.invalidArguments) { try await database.save(record) }
        record["title"] = "u"
        try await database.save(record)
        record.encryptedValues["title"] = "x"
        try await expect(.invalidArguments) { try await database.save(record) }
        let other = CKRecord.note("c")
        other.encryptedValues["title"] = "x"
        try await expect(.invalidArguments) { try await database.save(other) }
    }

    @Test("do not turn plain, in their own record or in another")
    func plainAgain() async throws {
        let record = CKRecord.note("a")
        record.encryptedValues["secret"] = "s"
        try await database.save(record)
        record["secret"] = "t"
        try await expect(.invalidArguments) { try await database.save(record) }
        // The field does not turn plain even if its encrypted value is removed.
        let read = try await database.record(for: record.recordID)
        read.encryptedValues["secret"] = nil
        try await database.save(read)
        read["secret"] = "t"
        try await expect(.invalidArguments) { try await database.save(read) }
        let other = CKRecord.note("b")
        other["secret"] = "t"
        try await expect(.invalidArguments) { try await database.save(other) }
        read["secret"] = nil
        read.encryptedValues["secret"] = "u"
        try await database.save(read)
        #expect(read.encryptedValues["secret"] as? String == "u")
    }

    @Test("are refused in the public database")
    func publicDatabase() async throws {
        let database = fixture.container.publicCloudDatabase
        let record = CKRecord(recordType: "Note")
        record["title"] = "t"
        try await database.save(record)
        record.encryptedValues["secret"] = "s"
        try await expect(.invalidArguments) { try await database.save(record) }
        #expect(try await database.record(for: record.recordID)["title"] as? String == "t")
    }

    @Test("open when they are looked at, in the public words or in those that throw")
    func opening() async throws {
        let record = CKRecord.note("a")
        record.encryptedValues["list"] = [Date(timeIntervalSince1970: 1.5)]
        try await database.save(record)
        let read = try await database.record(for: record.recordID)
        let dates = try read.encryptedValue(forKey: "list") as? [Date]
        #expect(dates == [Date(timeIntervalSince1970: 1.5)])
        #expect(try read.encryptedValue(forKey: "none") == nil)
    }
}
