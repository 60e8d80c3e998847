import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

/// Changes that are made after records are sorted, and before a page of them is read.
@Suite("Records that change while they are sorted")
struct SortRaceTests {
    private static let schema = """
        DEFINE SCHEMA RECORD TYPE Item (
            "___recordID" REFERENCE QUERYABLE, n INT64 QUERYABLE SORTABLE, m INT64 SORTABLE
        );
        """

    @Test("Those that are gone or no longer match are left out, others come as they are now")
    func changes() throws {
        let fixture = try CoreFixture()
        let view = try fixture.database()
        try fixture.core.importSchema(Array(Self.schema.utf8))
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            let fields = ["n": RecordChange.FieldChange(.int64(Int64(index)))]
            try #require(try view.save(name, fields, type: "Item").code == nil)
        }
        // The second call for records is the one that reads the page.
        let calls = Atomic(0)
        let slow = FaultyBackend(
            SharedRoom(fixture.backend),
            before: { call in
                guard call == .records, calls.add(1, ordering: .relaxed).newValue == 2 else {
                    return
                }
                _ = try? view.delete("a")
                _ = try? view.save("b", ["n": .plain(.int64(-1))], type: "Item")
                _ = try? view.save("c", ["m": .plain(.int64(5))], type: "Item")
            }, plan: { _ in .none })
        let other = try CoreFixture(sharing: fixture, backend: slow).database()
        calls.store(0, ordering: .relaxed)
        let query = RecordQuery(
            "Item", filters: [.init("n", .greaterThanOrEquals, [.int64(0)])],
            sorts: [.init("n"), .init("m")])
        let page = try other.query(query, in: CoreFixture.zone)
        #expect(page.records.map(\.identifier.name) == ["c", "d"])
        #expect(try page.records.first?.value(of: "m") == .int64(5))
        #expect(page.mark == nil && page.failures.isEmpty)
        let later = try other.query(query, in: CoreFixture.zone)
        #expect(later.records.map(\.identifier.name) == ["c", "d"])
    }
}
