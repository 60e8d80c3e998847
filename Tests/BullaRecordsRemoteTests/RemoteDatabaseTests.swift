#if Service && Remote
import Bulla
import BullaRecords
import BullaRecordsRemote
import BullaTestSupport
import Foundation
import Testing

@Suite("A database of a service", .service)
struct RemoteDatabaseTests {
    private static let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func id(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: Self.zoneID)
    }

    private func note(_ name: String, _ title: String? = nil) -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: id(name))
        record["title"] = title
        return record
    }

    /// The private database of a new user, with a zone.
    private func database() async throws -> CKDatabase {
        let container = try await ServiceProcess.present.container()
        let database = container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        return database
    }

    /// The error of `body`; `nil` if it throws none.
    private func failure<R>(_ body: () async throws -> R) async -> CKError? {
        do { _ = try await body() } catch { return error as? CKError }
        return nil
    }

    private func error<R>(_ result: Result<R, any Error>?) -> CKError? {
        if case .failure(let error) = result { error as? CKError } else { nil }
    }

    @Test("keeps values of every kind, and returns them as a store of this machine does")
    func values() async throws {
        let database = try await database()
        try await database.save(note("parent"))
        let record = note("r", "a \"title\"")
        record.setParent(id("parent"))
        record["count"] = 7
        record["share"] = 0.1
        record["due"] = Date(timeIntervalSince1970: 1.5)
        record["data"] = Data([0, 255])
        record["place"] = CKLocation(latitude: 1.5, longitude: -2)
        record["next"] = CKRecord.Reference(recordID: id("parent"), action: .none)
        record["tags"] = ["a", "b"]
        record.encryptedValues["secret"] = "sealed"
        record.encryptedValues["numbers"] = [1, 2, 3]
        let saved = try await database.save(record)
        #expect(saved === record && saved.changedKeys().isEmpty)
        let found = try await database.record(for: id("r"))
        for record in [saved, found] {
            #expect(record["title"] == "a \"title\"" && record["count"] == 7)
            #expect(record["share"] == 0.1 && record["data"] == Data([0, 255]))
            #expect(record["due"] == Date(timeIntervalSince1970: 1.5))
            #expect((record["place"] as CKLocation?)?.latitude == 1.5)
            #expect((record["next"] as CKRecord.Reference?)?.recordID == id("parent"))
            #expect(record["tags"] == ["a", "b"])
            #expect(record.encryptedValues["secret"] == "sealed")
            #expect(record.encryptedValues["numbers"] == [1, 2, 3])
            #expect(record["secret"] as String? == nil)
            #expect(record.parent?.recordID == id("parent"))
            #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        }
        #expect(found.recordChangeTag == saved.recordChangeTag)
        found["count"] = nil as Int?
        try await database.save(found)
        let some = try await database.records(for: [id("r")], desiredKeys: ["title", "count"])
        #expect(try #require(some[id("r")]).get().allKeys() == ["title"])
    }

    @Test("gives both records of a conflict, and refuses what is gone or not finite")
    func conflicts() async throws {
        let database = try await database()
        let first = try await database.save(note("r", "one"))
        let second = try await database.record(for: id("r"))
        first["title"] = "two"
        try await database.save(first)
        second["title"] = "three"
        let changed = await failure { try await database.save(second) }
        #expect(changed?.code == .serverRecordChanged && changed?.clientRecord === second)
        #expect(changed?.serverRecord?["title"] == "two")
        #expect(changed?.ancestorRecord?["title"] == "one")
        let taken = await failure { try await database.save(note("r", "four")) }
        #expect(taken?.code == .serverRecordChanged && taken?.ancestorRecord == nil)
        #expect(taken?.serverRecord?.recordChangeTag == first.recordChangeTag)
        let forced = try await database.modifyRecords(
            saving: [second], savePolicy: .changedKeys)
        #expect(try #require(forced.saveResults[id("r")]).get()["title"] == "three")
        try await database.deleteRecord(withID: id("r"))
        try await database.deleteRecord(withID: id("r"))
        #expect(await failure { try await database.save(second) }?.code == .unknownItem)
        #expect(await failure { try await database.record(for: id("r")) }?.code == .unknownItem)
        let odd = note("odd")
        odd["number"] = Double.nan
        #expect(await failure { try await database.save(odd) }?.code == .invalidArguments)
    }

    @Test("changes all of a zone's records or none, if it is asked for that")
    func batches() async throws {
        let database = try await database()
        try await database.save(note("taken"))
        let records = [note("a"), note("taken"), note("b")]
        let whole = try await database.modifyRecords(saving: records, deleting: [id("x")])
        #expect(error(whole.saveResults[id("taken")])?.code == .serverRecordChanged)
        #expect(error(whole.saveResults[id("a")])?.code == .batchRequestFailed)
        #expect(error(whole.deleteResults[id("x")])?.code == .batchRequestFailed)
        let odd = note("odd")
        odd["number"] = Double.infinity
        let refused = try await database.modifyRecords(saving: [note("a"), odd])
        #expect(error(refused.saveResults[id("odd")])?.code == .invalidArguments)
        #expect(error(refused.saveResults[id("a")])?.code == .batchRequestFailed)
        let parts = try await database.modifyRecords(
            saving: records + [odd], deleting: [id("x")], atomically: false)
        #expect(error(parts.saveResults[id("taken")])?.code == .serverRecordChanged)
        #expect(error(parts.saveResults[id("odd")])?.code == .invalidArguments)
        #expect(try parts.saveResults[id("b")]?.get() === records[2])
        let found = try await database.records(for: ["a", "b", "odd"].map { id($0) })
        #expect(error(found[id("odd")])?.code == .unknownItem && error(found[id("a")]) == nil)
    }

    @Test("has zones, and tells which of them have changed")
    func zones() async throws {
        let database = try await database()
        let other = CKRecordZone(zoneName: "Other")
        try await database.save(other)
        let start = try await database.databaseChanges(since: nil)
        #expect(start.modifications.map(\.zoneID) == [Self.zoneID, other.zoneID])
        #expect(!start.moreComing)
        let names = try await database.allRecordZones().map(\.zoneID.zoneName)
        #expect(names == ["_defaultZone", "Notes", "Other"])
        #expect(try await database.recordZone(for: other.zoneID).zoneID == other.zoneID)
        try await database.deleteRecordZone(withID: other.zoneID)
        let next = try await database.databaseChanges(since: start.changeToken)
        #expect(next.deletions.map(\.zoneID) == [other.zoneID])
        #expect(next.deletions.map(\.reason) == [.deleted] && next.modifications.isEmpty)
        for body in [
            { _ = try await database.recordZone(for: other.zoneID) },
            { try await database.deleteRecordZone(withID: other.zoneID) },
            { _ = try await database.recordZoneChanges(inZoneWith: other.zoneID, since: nil) },
            { try await database.save(CKRecord(recordType: "Note", zoneID: other.zoneID)) },
        ] as [() async throws -> Void] {
            #expect(await failure(body)?.code == .zoneNotFound)
        }
        let bad = await failure { try await database.save(CKRecordZone(zoneName: "_x")) }
        #expect(bad?.code == .invalidArguments)
    }

    @Test("tells the changes of a zone, page by page, with the types of what is gone")
    func changes() async throws {
        let database = try await database()
        for part in 0..<3 {
            try await database.modifyRecords(
                saving: (0..<100).map { note("n\(100 * part + $0)", "t") })
        }
        var (names, token): (Set<String>, CKServerChangeToken?) = ([], nil)
        var hasMore = true
        while hasMore {
            let page = try await database.recordZoneChanges(
                inZoneWith: Self.zoneID, since: token, resultsLimit: 70)
            for (id, result) in page.modificationResultsByID {
                #expect(try result.get().record["title"] == "t")
                names.insert(id.recordName)
            }
            (token, hasMore) = (page.changeToken, page.moreComing)
        }
        #expect(names.count == 300)
        try await database.deleteRecord(withID: id("n7"))
        let last = try await database.recordZoneChanges(inZoneWith: Self.zoneID, since: token)
        #expect(last.deletions.map(\.recordID) == [id("n7")])
        #expect(last.deletions.map(\.recordType) == ["Note"])
        let all = try await database.recordZoneChanges(inZoneWith: Self.zoneID, since: nil)
        #expect(all.deletions.isEmpty)
        try await database.deleteRecordZone(withID: Self.zoneID)
        try await database.save(CKRecordZone(zoneID: Self.zoneID))
        let late = await failure {
            try await database.recordZoneChanges(inZoneWith: Self.zoneID, since: token)
        }
        #expect(late?.code == .changeTokenExpired)
        let database2 = try await self.database()
        let foreign = await failure {
            try await database2.recordZoneChanges(inZoneWith: Self.zoneID, since: token)
        }
        #expect(foreign?.code == .invalidArguments)
    }

    @Test("finds records by queries, with an order and a cursor")
    func queries() async throws {
        let database = try await database()
        let tasks = (0..<30).map { number in
            let record = CKRecord(recordType: "Task", recordID: id("t\(number)"))
            record["number"] = number
            record["tags"] = ["tag\(number % 3)"]
            record.encryptedValues["secret"] = "x"
            return record
        }
        try await database.modifyRecords(saving: tasks)
        let predicate = CKPredicate(format: "number >= %@ AND tags CONTAINS %@", 10, "tag0")
        let query = CKQuery(recordType: "Task", predicate: predicate)
        query.sortDescriptors = [CKSortDescriptor(key: "number", ascending: false)]
        var (found, cursor): ([Int], CKQueryOperation.Cursor?) = ([], nil)
        repeat {
            let page =
                if let cursor {
                    try await database.records(continuingMatchFrom: cursor, resultsLimit: 3)
                } else {
                    try await database.records(
                        matching: query, inZoneWith: Self.zoneID, resultsLimit: 3)
                }
            for (_, result) in page.matchResults {
                found.append(try result.get()["number"] ?? -1)
            }
            cursor = page.queryCursor
        } while cursor != nil
        #expect(found == [27, 24, 21, 18, 15, 12])
        let sealed = CKQuery(
            recordType: "Task", predicate: CKPredicate(format: "secret = %@", "x"))
        let refused = await failure {
            try await database.records(matching: sealed, inZoneWith: Self.zoneID)
        }
        #expect(refused?.code == .invalidArguments)
    }

    @Test("sends files and reads them, in bounded parts, and copies them between records")
    func assets() async throws {
        let (database, scratch) = (try await database(), try Scratch())
        var random = TestRandom(seed: 1)
        let files = [3 << 20, 1, 0].map { random.bytes($0) }
        for (number, bytes) in files.enumerated() { try scratch.write(bytes, to: "f\(number)") }
        let assets = files.indices.map {
            CKAsset(fileURL: URL(fileURLWithPath: scratch.path("f\($0)")))
        }
        let record = note("r")
        record["photo"] = assets[0]
        record["more"] = [assets[0], assets[1], assets[2]]
        try await database.save(record)
        let found = try await database.record(for: id("r"))
        func bytes(_ asset: CKAsset?) async throws -> [UInt8] {
            let file = try await #require(asset).loadFile()
            return [UInt8](try Data(contentsOf: file))
        }
        #expect(try await bytes(found["photo"]) == files[0])
        let more: [CKAsset] = found["more"] ?? []
        for (asset, file) in zip(more, [files[0], files[1], files[2]]) {
            #expect(try await bytes(asset) == file)
        }
        // A file is not sent again if it is saved back to its record. It is sent again if another
        // record gets it.
        found["title"] = "t"
        try await database.modifyRecords(saving: [found], savePolicy: .allKeys)
        let copy = note("copy")
        copy["photo"] = more[1]
        try await database.save(copy)
        try await database.deleteRecord(withID: id("r"))
        let left = try await database.record(for: id("copy"))
        #expect(try await bytes(left["photo"]) == files[1])
        let gone: CKAsset? = try await database.record(for: id("copy"))["photo"]
        try await database.deleteRecord(withID: id("copy"))
        let lost = await failure { try await #require(gone).loadFile() }
        #expect(lost?.code == .assetNotAvailable)
        let missing = note("missing")
        missing["photo"] = CKAsset(fileURL: URL(fileURLWithPath: scratch.path("none")))
        #expect(await failure { try await database.save(missing) }?.code == .assetFileNotFound)
    }
}
#endif
