import BullaTestSupport
import Testing

/// How many times a thread calls the system in any build: files, memory, waiting, randomness.
@Suite(.enabled(if: CountRun.countsCalls, "no process may trace another here"))
struct `The system is called` {
    @Test(arguments: StoreKind.allCases)
    func `as often as the instrument says`(kind: StoreKind) throws {
        #expect(try CountRun.of(kind).calls("probe") == 2)
    }

    @Test(
        arguments: StoreKind.allCases,
        ["reads", "absences", "presences", "snapshots", "snapshot-reads", "refresh-reads"])
    func `by no read, and by no snapshot`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).calls(stretch) == 0)
    }

    @Test(arguments: StoreKind.allCases, ["scan", "limited-scan", "cursor"])
    func `by no scan`(kind: StoreKind, stretch: String) throws {
        #expect(try CountRun.of(kind).calls(stretch) == 0)
    }

    // For files: the writer's lock twice, the limit on a file's size, the frame. With a flush: its
    // lock twice, two names looked up, the flush; and the names again if a busy machine let a
    // millisecond pass before it. Without a flush, names are looked up once in a millisecond. The
    // bytes after the last frame, and at the beginnings of the halves, are read in the mapping.
    @Test(
        arguments: StoreKind.allCases,
        [("commit", fileCalls: [9, 11], recordCount: 1), ("relaxed-commit", [4, 6], 0)])
    func `by a small commit for its files and for nonces alone`(
        kind: StoreKind, stretch: (name: String, fileCalls: [UInt64], recordCount: UInt64)
    ) throws {
        // The nonces of the frame, and of the record for other processes.
        let nonceCalls = kind == .plain ? 0 : 1 + stretch.recordCount
        let calls = try CountRun.of(kind).calls(stretch.name)
        #expect(stretch.fileCalls.contains(calls - nonceCalls), "\(calls)")
    }
}
