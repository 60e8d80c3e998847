import BullaTestSupport
import Testing

/// How many times a thread retains or releases an object of Swift's, each of which takes as long as
/// a part of a lookup.
///
/// Only in a release build, as for memory.
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

    /// Most of them are for the objects that begin and end a snapshot.
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

    /// Not one for each key.
    @Test(arguments: StoreKind.allCases, ["lent-batch", "batched-presences"])
    func `a few times by a batch, however many keys it has`(
        kind: StoreKind, stretch: String
    ) throws {
        #expect(try CountRun.of(kind).references(stretch) <= 2)
    }

    /// Not one for each leaf or each entry.
    @Test(arguments: StoreKind.allCases, ["scan", "run-scan", "limited-scan"])
    func `a few times by a scan, however long it is`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).references(stretch) <= 30)
    }
}
