import Bulla
import BullaSimulation

/// A store whose last process died while closing, between writing the meta slot that confirms its
/// last commit and flushing that slot.
enum UnflushedClose {
    /// Opens the store with the page cache that is left, goes on, and cuts the power wherever it
    /// can.
    static func crash() throws {
        for suite in [CipherSuite.aes256GCM, nil] {
            try crash(Configuration(suite: suite, pageByteCount: 4096))
        }
    }

    private static func crash(_ configuration: Configuration) throws {
        var first = Session(configuration, try SimulatedDisk(), seed: 3)
        defer { first.end() }
        try first.open()
        for _ in 0..<3 { try first.putLarge(pageCount: 1, .full) }
        // A direct commit: one slot names it, and closing only has to confirm it.
        try first.putLarge(pageCount: 40, .full)
        first.disk.add(DiskFault(.flush, .kill(isBefore: true)))
        try demand(refusal { try first.closeAll() } != nil, "the last process did not die")
        let slots = (0..<MetaPage.slotCount).map { MetaPage.offset(slot: $0) }
        guard case .write(_, let offset, _) = first.disk.history.last, slots.contains(offset) else {
            throw Finding("the last process did not die between writing a slot and its flush")
        }
        var replay = DiskReplay(from: first.disk.base)
        for event in first.disk.history { replay.apply(event) }
        var next = Session(
            configuration, try SimulatedDisk(replay.crashed(.processDeath)),
            Timeline.Allowed(isMissingAllowed: false, versions: [first.current]), seed: 4)
        defer { next.end() }
        try next.open()
        for pageCount in [1, 40, 1] { try next.putLarge(pageCount: pageCount, .full) }
        try next.checkpoint(0)
        var explorer = Explorer(configuration, seed: 5)
        try explorer.explore(next, Explorer.Plan(cutLimit: .max, sampleCount: 40))
    }
}
