import BullaTestSupport
import Testing

/// How many times a thread allocates memory.
///
/// These tests need a release build, because an unoptimized build allocates for closures and
/// generics.
@Suite(.enabled(if: CountRun.countsAllocations, "a release build without a sanitizer counts"))
struct `In a release build, memory is asked for` {
    /// The number of reads, or of snapshots, in a stretch.
    private static let readCount: UInt64 = 1000

    @Test(arguments: StoreKind.allCases)
    func `as often as the instrument says`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).allocations("probe") == 3)
    }

    @Test(arguments: StoreKind.allCases, ["reads", "absences", "presences", "refresh-reads"])
    func `by no read of pages that are in memory`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) == 0)
    }

    /// The one allocation is the object that a snapshot shares with its cursors.
    ///
    /// A snapshot takes over its part of the log from the snapshot before it. Neither finding a
    /// tree by name nor reading from it allocates.
    @Test(arguments: StoreKind.allCases, ["snapshots", "snapshot-reads"])
    func `once by a snapshot, whatever is read there`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) == Self.readCount)
    }

    @Test(arguments: StoreKind.allCases)
    func `once by each copy of a value`(kind: StoreKind) throws {
        let run = try CountRun.of(kind)
        #expect(try run.allocations("copies") == Self.readCount)
        // One more allocation is for the list of the values.
        #expect(try run.allocations("batch") == Self.readCount + 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `by no value that is lent, however many are asked for together`(kind: StoreKind) throws {
        let run = try CountRun.of(kind)
        #expect(try run.allocations("lent-batch") == 0)
        // The one allocation is for the list of the answers.
        #expect(try run.allocations("batched-presences") == 1)
    }

    /// One allocation is for the path in the tree; in a plain store, another is for the check after
    /// each leaf.
    ///
    /// Leaves and entries allocate nothing.
    @Test(arguments: StoreKind.allCases, ["scan", "run-scan", "limited-scan", "cursor"])
    func `at most twice by a scan, however long it is`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) <= 2)
    }

    /// Memory is needed for the transaction, its list of trees, and its part of the log; no page
    /// changes.
    @Test(arguments: StoreKind.allCases, ["commit", "relaxed-commit"])
    func `a bounded number of times by a small commit`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).allocations(stretch) <= 20)
    }
}
