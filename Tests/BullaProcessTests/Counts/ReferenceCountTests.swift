import BullaTestSupport
import Testing

/// How many times a thread retains or releases a Swift object; each time costs a part of what a
/// lookup costs.
///
/// These tests need a release build, like those that count allocations.
@Suite(.enabled(if: CountRun.countsAllocations, "a release build without a sanitizer counts"))
struct `In a release build, references are counted` {
    /// The number of snapshots in a stretch.
    private static let snapshotCount: UInt64 = 1000

    @Test(arguments: StoreKind.allCases)
    func `as often as the instrument says`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).references("probe") == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `by no read in a snapshot, of pages that are in memory`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).references("same-reads") == 0)
    }

    /// Most of these counts are for the objects that take part in beginning and ending a snapshot.
    @Test(arguments: StoreKind.allCases)
    func `a bounded number of times by a snapshot`(kind: StoreKind) throws {
        let run = try CountRun.of(kind)
        #expect(try run.references("snapshots") <= 24 * Self.snapshotCount)
        #expect(try run.references("snapshot-reads") <= 31 * Self.snapshotCount)
    }

    @Test(arguments: StoreKind.allCases)
    func `twice by a snapshot that is refreshed where it is`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).references("refresh-reads") <= 2 * Self.snapshotCount)
    }

    /// The count does not grow with the number of keys.
    @Test(arguments: StoreKind.allCases, ["lent-batch", "batched-presences"])
    func `a few times by a batch, however many keys it has`(
        kind: StoreKind, stretch: String
    ) throws {
        #expect(try CountRun.of(kind).references(stretch) <= 2)
    }

    /// The count does not grow with the number of leaves or entries.
    @Test(arguments: StoreKind.allCases, ["scan", "run-scan", "limited-scan"])
    func `a few times by a scan, however long it is`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).references(stretch) <= 30)
    }
}
