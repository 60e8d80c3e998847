import BullaRecords
import Foundation
import Testing

@Suite("Values of fields")
struct RecordValuesTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
    }

    /// The plain fields of one record and the encrypted fields of another, filled alike, saved and
    /// read again.
    private func read(_ fill: (CKRecord, any CKRecordKeyValueSetting) -> Void) async throws
        -> [any CKRecordKeyValueSetting]
    {
        let (plain, sealed) = (CKRecord.note("plain"), CKRecord.note("sealed"))
        fill(plain, plain)
        fill(sealed, sealed.encryptedValues)
        // Two types, since a field is either plain or encrypted in all records of one type.
        let other = CKRecord(recordType: "Sealed", recordID: sealed.recordID)
        for key in sealed.encryptedValues.allKeys() {
            other.encryptedValues[key] = sealed.encryptedValues[key]
        }
        try await database.modifyRecords(saving: [plain, other])
            .saveResults.values.forEach { _ = try $0.get() }
        let results = try await database.records(for: [plain.recordID, other.recordID])
        let found = try [plain, other].map { try #require(results[$0.recordID]).get() }
        return [found[0], found[1].encryptedValues]
    }

    @Test("come back as they were set")
    func roundTrip() async throws {
        let date = Date(timeIntervalSince1970: 1_234_567.125)
        var location = CKLocation(latitude: 52.5, longitude: 13.25)
        location.altitude = 34
        location.timestamp = date
        let found = try await read { _, fields in
            fields["text"] = "t\u{e4}"
            fields["whole"] = 42
            fields["small"] = Int8(-7)
            fields["unsigned"] = UInt32(7)
            fields["double"] = 2.5
            fields["float"] = Float(0.5)
            fields["truth"] = true
            fields["date"] = date
            fields["data"] = Data([1, 2, 3])
            fields["place"] = location
            fields["texts"] = ["a", "b"]
            fields["numbers"] = [1, 2, 3]
            fields["dates"] = [date]
            fields["none"] = [String]()
            fields["places"] = [location]
        }
        for fields in found {
            #expect(fields["text"] as? String == "t\u{e4}")
            #expect(fields["whole"] as? Int == 42 && fields["whole"] as? Int64 == 42)
            #expect(fields["whole"] as? NSNumber == 42 && fields["whole"] as? Double == 42)
            #expect(fields["small"] as? Int == -7 && fields["unsigned"] as? Int == 7)
            #expect(fields["double"] as? Double == 2.5 && fields["float"] as? Float == 0.5)
            #expect(fields["truth"] as? Bool == true && fields["truth"] as? Int == 1)
            #expect(fields["date"] as? Date == date)
            #expect(fields["data"] as? Data == Data([1, 2, 3]))
            #expect(fields["place"] as? CKLocation == location)
            #expect(fields["texts"] as? [String] == ["a", "b"])
            #expect(fields["numbers"] as? [Int] == [1, 2, 3])
            #expect(fields["dates"] as? [Date] == [date])
            #expect(fields["none"] as? [String] == [])
            #expect(fields["places"] as? [CKLocation] == [location])
            let text: String? = fields["text"]
            let whole: Int? = fields["whole"]
            #expect(text == "t\u{e4}" && whole == 42 && fields["missing"] == nil)
        }
    }

    @Test("are taken from Foundation's classes too")
    func objects() async throws {
        let date = NSDate(timeIntervalSince1970: 5)
        let found = try await read { _, fields in
            fields["text"] = NSString(string: "t")
            fields["number"] = NSNumber(value: 3)
            fields["double"] = NSNumber(value: 3.5)
            fields["date"] = date
            fields["data"] = NSData(data: Data([9]))
            fields["list"] = NSArray(array: [1, 2])
            fields["mixed"] = NSArray(array: [1, 2.5])
            fields["texts"] = NSArray(array: ["a"])
            fields.setObject("o" as any CKRecordValue, forKey: "object")
        }
        for fields in found {
            #expect(fields["text"] as? String == "t" && fields["text"] as? NSString == "t")
            #expect(fields["number"] as? Int == 3 && fields["double"] as? Double == 3.5)
            #expect(fields["date"] as? Date == Date(timeIntervalSince1970: 5))
            #expect(fields["data"] as? Data == Data([9]))
            #expect(fields["list"] as? [Int] == [1, 2])
            #expect(fields["mixed"] as? [Double] == [1, 2.5])
            #expect(fields["texts"] as? [String] == ["a"])
            #expect(fields.object(forKey: "object") as? String == "o")
        }
    }

    @Test("that name a record lead to it, by the names of whoever reads")
    func references() async throws {
        let target = CKRecord.note("target")
        let record = CKRecord.note("a")
        let reference = CKRecord.Reference(record: target, action: .deleteSelf)
        record["to"] = reference
        record["all"] = [CKRecord.Reference(recordID: target.recordID, action: .none)]
        let named = CKRecordZone.ID(zoneName: "Notes", ownerName: fixture.user.recordName)
        record["same"] = CKRecord.Reference(
            recordID: CKRecord.ID(recordName: "target", zoneID: named), action: .none)
        try await database.modifyRecords(saving: [target, record])
        let read = try await database.record(for: record.recordID)
        #expect(read["to"] as? CKRecord.Reference == reference)
        #expect((read["all"] as? [CKRecord.Reference])?.map(\.recordID) == [target.recordID])
        #expect((read["same"] as? CKRecord.Reference)?.recordID == target.recordID)
        try await database.deleteRecord(withID: target.recordID)
        try await expect(.unknownItem) { try await database.record(for: record.recordID) }
    }

    private struct Stranger: CKRecordValueProtocol {}

    @Test("that no field can hold are refused when the record is saved, and not kept")
    func refusals() async throws {
        let file = URL(fileURLWithPath: "/nowhere")
        let values: [any CKRecordValueProtocol] = [
            UInt64.max, NSNumber(value: UInt64.max), NSArray(), NSArray(array: [1, "x"]),
            [["x"]], Stranger(), NSArray(array: [CKAsset(fileURL: file), 1]),
            Date(timeIntervalSince1970: .infinity), NSArray(array: [["x"]]),
        ]
        for value in values {
            let record = CKRecord.note("a", "t")
            record["field"] = value
            #expect(record["field"] == nil)
            let error = try await failure { try await database.save(record) }
            #expect(error?.code == .invalidArguments, "\(type(of: value))")
            #expect(error?.message.contains("field") == true)
            record["field"] = nil
            try await database.save(record)
            try await database.deleteRecord(withID: record.recordID)
        }
    }

    @Test("of names that no field has are refused")
    func names() async throws {
        for name in ["", "1a", "a b", "_a", "___recordID"] {
            let record = CKRecord.note("a")
            record[name] = 1
            try await expect(.invalidArguments) { try await database.save(record) }
        }
    }
}
