import Bulla
import BullaSimulation

/// A store whose last process died as it closed, between writing the meta slot that confirms and
/// its flush.
enum UnflushedClose {
    /// Opens it with the page cache that is left, goes on, and cuts the power wherever that may be.
    static func crash() throws {
        // An encrypted store flushes before it seals its first page, and a plain one does not.
        let plain = Configuration(suite: nil, pageByteCount: 4096)
        var first = Session(plain, try SimulatedDisk(), seed: 3)
        defer { first.end() }
        try first.open()
        for _ in 0..<4 { try first.putLarge(pageCount: 1, .full) }
        first.disk.add(DiskFault(.flush, .kill(isBefore: true)))
        try demand(refusal { try first.closeAll() } != nil, "the last process did not die")
        var replay = DiskReplay(from: first.disk.base)
        for event in first.disk.history { replay.apply(event) }
        var next = Session(
            plain, try SimulatedDisk(replay.crashed(.processDeath)),
            Timeline.Allowed(isMissingAllowed: false, versions: [first.current]), seed: 4)
        defer { next.end() }
        try next.open()
        for _ in 0..<3 { try next.putLarge(pageCount: 1, .full) }
        var explorer = Explorer(plain, seed: 5)
        try explorer.explore(next, Explorer.Plan(cutLimit: .max, sampleCount: 40))
    }
}
