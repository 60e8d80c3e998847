import BullaRecords
import Foundation
import Testing

@Suite("Querying a database")
struct QueryingTests {
    private let fixture: ContainerFixture
    private let database: CKDatabase

    init() async throws {
        fixture = try await ContainerFixture()
        database = try await fixture.database()
        let notes = (0..<10).map { index in
            let note = CKRecord.note("r\(index)", ["Milk", "Bread", "Mint"][index % 3])
            note["n"] = index
            note["tags"] = index < 4 ? ["a", "b"] : ["b"]
            note.encryptedValues["s"] = "hidden"
            return note
        }
        notes[3]["to"] = CKRecord.Reference(record: notes[4], action: .none)
        let results = try await database.modifyRecords(saving: notes).saveResults
        try #require(results.values.allSatisfy { $0.code == nil })
    }

    private func names(
        _ predicate: CKPredicate, sorts: [CKSortDescriptor]? = nil, limit: Int = 0
    ) async throws -> [String] {
        let query = CKQuery(recordType: "Note", predicate: predicate)
        query.sortDescriptors = sorts
        var (results, cursor) = try await database.records(
            matching: query, inZoneWith: ContainerFixture.zoneID, resultsLimit: limit)
        while let next = cursor {
            let page = try await database.records(continuingMatchFrom: next, resultsLimit: limit)
            #expect(limit == 0 || page.matchResults.count <= limit)
            results += page.matchResults
            cursor = page.queryCursor
        }
        for (id, result) in results { #expect(try result.get().recordID == id) }
        return results.map(\.0.recordName)
    }

    @Test("Each comparison finds its records")
    func comparisons() async throws {
        let expected: [(CKPredicate, Set<Int>)] = [
            (CKPredicate(format: "n = %@", 3), [3]),
            (CKPredicate(format: "n != 3 AND n < 5"), [0, 1, 2, 4]),
            (CKPredicate(format: "n >= 3 AND NOT n > %@", 5), [3, 4, 5]),
            (CKPredicate(format: "n IN %@", [1, 2, 99]), [1, 2]),
            (CKPredicate(format: "NOT (n IN {0, 1, 2, 3, 4, 5})"), [6, 7, 8, 9]),
            (CKPredicate(format: "tags CONTAINS %@", "a"), [0, 1, 2, 3]),
            (CKPredicate(format: "NOT tags CONTAINS 'a' AND n <= 6"), [4, 5, 6]),
            (CKPredicate(format: "title BEGINSWITH 'Mi' AND n < 4"), [0, 2, 3]),
            (CKPredicate(format: "title = 'Bread'"), [1, 4, 7]),
            (CKPredicate(format: "to = %@", CKRecord.note("r4")), [3]),
            (CKPredicate(format: "n > 100"), []),
        ]
        for (predicate, numbers) in expected {
            let found = try await names(predicate)
            #expect(Set(found) == Set(numbers.map { "r\($0)" }) && found.count == numbers.count)
        }
    }

    @Test("Words, and places near another one, are found, and the closest places come first")
    func searches() async throws {
        let shops = [("s1", "Corner shop", 48.0), ("s2", "Shop at the end", 48.2), ("s3", "x", 50)]
            .map { name, title, latitude in
                let shop = CKRecord(
                    recordType: "Shop",
                    recordID: CKRecord.ID(recordName: name, zoneID: ContainerFixture.zoneID))
                shop["title"] = title
                shop["place"] = CKLocation(latitude: latitude, longitude: 16)
                return shop
            }
        let saved = try await database.modifyRecords(saving: shops).saveResults
        try #require(saved.values.allSatisfy { $0.code == nil })
        let center = CKLocation(latitude: 48.3, longitude: 16)
        func nearest(_ predicate: CKPredicate) async throws -> [String] {
            let query = CKQuery(recordType: "Shop", predicate: predicate)
            query.sortDescriptors = [
                CKLocationSortDescriptor(key: "place", relativeLocation: center)
            ]
            let found = try await database.records(
                matching: query, inZoneWith: ContainerFixture.zoneID)
            return found.matchResults.map(\.0.recordName)
        }
        #expect(try await nearest(CKPredicate(format: "self CONTAINS 'SHOP'")) == ["s2", "s1"])
        #expect(
            try await nearest(CKPredicate(format: "allTokens TOKENMATCHES[cdl] %@", "end shop"))
                == ["s2"])
        let near = CKPredicate(
            format: "distanceToLocation:fromLocation:(place, %@) < %f", center, 100_000.0)
        #expect(try await nearest(near) == ["s2", "s1"])
        let query = CKQuery(
            recordType: "Note", predicate: CKPredicate(format: "s TOKENMATCHES[cdl] 'hidden'"))
        let error = await #expect(throws: CKError.self) {
            try await database.records(matching: query, inZoneWith: ContainerFixture.zoneID)
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("Answers come in order, page by page")
    func order() async throws {
        let all = CKPredicate(format: "n >= 0")
        let down = [CKSortDescriptor(key: "n", ascending: false)]
        let expected = (0..<10).reversed().map { "r\($0)" }
        #expect(try await names(all, sorts: down) == expected)
        #expect(try await names(all, sorts: down, limit: 3) == expected)
        let byTitle = [CKSortDescriptor(key: "title", ascending: true)] + down
        let titled = ["r7", "r4", "r1", "r9", "r6", "r3", "r0", "r8", "r5", "r2"]
        #expect(try await names(all, sorts: byTitle, limit: 4) == titled)
    }

    @Test("Records have the fields that were asked for")
    func desiredKeys() async throws {
        let query = CKQuery(recordType: "Note", predicate: CKPredicate(format: "n = 3"))
        let (results, cursor) = try await database.records(
            matching: query, inZoneWith: ContainerFixture.zoneID, desiredKeys: ["title"])
        let record = try #require(try results.first?.1.get())
        #expect(cursor == nil && results.count == 1)
        #expect(record.allKeys() == ["title"] && record.encryptedValues.allKeys().isEmpty)
    }

    @Test("Without a zone all are looked through, which an order forbids")
    func allZones() async throws {
        let lone = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "lone"))
        lone["n"] = 3
        try await database.save(lone)
        let query = CKQuery(recordType: "Note", predicate: CKPredicate(format: "n = 3"))
        var found: [CKRecord.ID] = []
        var page = try await database.records(matching: query, resultsLimit: 1)
        found += page.matchResults.map(\.0)
        while let cursor = page.queryCursor {
            page = try await database.records(continuingMatchFrom: cursor, resultsLimit: 1)
            found += page.matchResults.map(\.0)
        }
        #expect(Set(found) == [lone.recordID, CKRecord.note("r3").recordID] && found.count == 2)
        query.sortDescriptors = [CKSortDescriptor(key: "n", ascending: true)]
        try await expect(.invalidArguments) { try await database.records(matching: query) }
    }

    @Test("What may not be asked is refused with the reason")
    func refusals() async throws {
        let refused: [(String, String)] = [
            ("s = 'hidden'", "is encrypted"), ("TRUEPREDICATE", "___recordID QUERYABLE"),
            ("absent = 1", "Unknown field"), ("n = 'x'", "another kind"), ("n = 1 OR n = 2", "OR"),
            ("title CONTAINS 'x'", "cannot be asked for its members"), ("n IN {}", "no value"),
        ]
        for (format, reason) in refused {
            let error = try await failure { try await names(CKPredicate(format: format)) }
            #expect(error?.code == .invalidArguments && error?.message.contains(reason) == true)
        }
        let sorts = [CKSortDescriptor(key: "s", ascending: true)]
        try await expect(.invalidArguments) {
            try await names(CKPredicate(format: "n = 1"), sorts: sorts)
        }
        let nothing = CKQuery(recordType: "Nothing", predicate: CKPredicate(value: true))
        try await expect(.unknownItem) { try await database.records(matching: nothing) }
        try await expect(.invalidArguments) {
            try await names(CKPredicate(format: "n = 1"), limit: -1)
        }
    }

    @Test("A cursor goes on in its own database alone")
    func cursors() async throws {
        let query = CKQuery(recordType: "Note", predicate: CKPredicate(format: "n >= 0"))
        let cursor = try #require(
            try await database.records(
                matching: query, inZoneWith: ContainerFixture.zoneID, resultsLimit: 3
            ).queryCursor)
        try await database.deleteRecordZone(withID: ContainerFixture.zoneID)
        try await database.save(CKRecordZone(zoneID: ContainerFixture.zoneID))
        try await expect(.changeTokenExpired) {
            try await database.records(continuingMatchFrom: cursor)
        }
        let other = try await fixture.container.createAccount(
            unlockedBy: ContainerFixture.key(2))
        try await fixture.container.signIn(other, with: ContainerFixture.key(2))
        _ = try await fixture.database()
        try await expect(.invalidArguments) {
            try await database.records(continuingMatchFrom: cursor)
        }
    }
}
