import BullaTestSupport
import Testing

/// How often a thread asks for memory.
///
/// In a release build alone: an unoptimized one asks for its closures' and its generics' sake.
@Suite(.enabled(if: CountRun.countsAllocations, "a release build without a sanitizer counts"))
struct `In a release build, memory is asked for` {
    /// How many reads, or how many snapshots, a stretch has.
    private static let readCount: UInt64 = 1000

    @Test(arguments: StoreKind.allCases)
    func `as often as the instrument says`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).allocations("probe") == 3)
    }

    @Test(arguments: StoreKind.allCases, ["reads", "absences", "presences"])
    func `by no read of pages that are in memory`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) == 0)
    }

    /// The one allocation is the object that a snapshot shares with its cursors; neither finding a
    /// tree by its name nor reading from it needs another.
    @Test(arguments: StoreKind.allCases, ["snapshots", "snapshot-reads"])
    func `once by a snapshot, whatever is read there`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) == Self.readCount)
    }

    @Test(arguments: StoreKind.allCases)
    func `once by each copy of a value`(kind: StoreKind) throws {
        let run = try CountRun.of(kind)
        #expect(try run.allocations("copies") == Self.readCount)
        // Besides, the list of the values, and one of the leaves that are looked at together.
        #expect(try run.allocations("batch") == Self.readCount + 2)
    }

    /// The way down the tree is a list; there is nothing for a leaf or an entry.
    @Test(arguments: StoreKind.allCases, ["scan", "limited-scan", "cursor"])
    func `three times by a scan, however long it is`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) <= 3)
    }

    /// Lists of pages and levels, keys and records of the catalog: about twenty for each page that
    /// changes, and none for a record that does not.
    @Test(arguments: StoreKind.allCases, ["commit", "relaxed-commit"])
    func `a bounded number of times by a small commit`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) <= 110)
    }
}
