import BullaTestSupport
import Testing

/// How many times a thread calls the system, for files, memory, waiting or randomness, in any
/// build.
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

    // A commit makes four calls for files: two for the writer's lock, one for the limit on a file's
    // size, and one for the frame. A flush adds five: two for its lock, two to look up names, and
    // the flush itself. If a busy machine lets a millisecond pass before the flush, two more calls
    // look up the names again. Without a flush, the two names are looked up at most once in a
    // millisecond. The bytes after the last frame, and at the beginnings of the halves, are read in
    // the mapping, without a call.
    @Test(
        arguments: StoreKind.allCases,
        [("commit", fileCalls: [9, 11], recordCount: 1), ("relaxed-commit", [4, 6], 0)])
    func `by a small commit for its files and for nonces alone`(
        kind: StoreKind, stretch: (name: String, fileCalls: [UInt64], recordCount: UInt64)
    ) throws {
        // One call is for the frame's nonce. If the commit makes a record for other processes,
        // another call is for that record's nonce.
        let nonceCalls = kind == .plain ? 0 : 1 + stretch.recordCount
        let calls = try CountRun.of(kind).calls(stretch.name)
        #expect(stretch.fileCalls.contains(calls - nonceCalls), "\(calls)")
    }
}
