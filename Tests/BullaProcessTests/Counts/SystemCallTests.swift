import BullaTestSupport
import Testing

/// How often a thread calls the system, whatever the build: for files, memory, waiting and chance.
@Suite(.enabled(if: CountRun.countsCalls, "no process may trace another here"))
struct `The system is called` {
    @Test(arguments: StoreKind.allCases)
    func `as often as the instrument says`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).calls("probe") == 2)
    }

    @Test(
        arguments: StoreKind.allCases,
        ["reads", "absences", "presences", "snapshots", "snapshot-reads"])
    func `by no read, and by no snapshot`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).calls(stretch) == 0)
    }

    @Test(arguments: StoreKind.allCases, ["scan", "limited-scan", "cursor"])
    func `by no scan`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).calls(stretch) == 0)
    }

    // For files: the writer's lock twice, two meta slots read, two names looked up, one run of
    // pages written. With a flush: its lock twice, the writer's, asked about, both meta slots read
    // and one written, `fdatasync`. Before each write, the limit on a file's size.
    @Test(
        arguments: StoreKind.allCases,
        [("commit", fileCalls: 15, recordCount: 2), ("relaxed-commit", 8, 1)])
    func `by a small commit for its files and for nonces alone`(
        kind: StoreKind, stretch: (name: String, fileCalls: UInt64, recordCount: UInt64)
    ) throws {
        // The nonces of each level's pages, one page each here, of the catalog's page, and of the
        // records that other processes read.
        let nonceCalls = kind == .plain ? 0 : 3 + 1 + stretch.recordCount
        #expect(try CountRun.of(kind).calls(stretch.name) == stretch.fileCalls + nonceCalls)
    }
}
