#if BULLA_CHECKS
import Bulla
import BullaSimulation
import Testing

/// A search that finds nothing proves something only if it finds what is there.
@Suite(.serialized) struct `A bug planted in the engine` {
    private static let imageLimit = 4000

    @Test(
        "is found by crashing the simulated disk",
        arguments: [
            PlantedBug.flushSkipped, .slotReused, .pagesNotVerified, .reuseBeforeDurable,
            .cacheTrusted, .growthNotFlushed, .nonceRepeated, .poisonNotShared,
        ])
    func isFound(bug: PlantedBug) throws {
        var imageCount = 0
        var seed: UInt64 = 0
        while imageCount < Self.imageLimit {
            seed += 1
            let (found, count) = PlantedBug.$current.withValue(bug) { explore(seed: seed) }
            imageCount += count
            if let found {
                print("\(bug): seed \(seed), \(imageCount) images: \(found)")
                return
            }
        }
        Issue.record("\(bug) was not found in \(imageCount) images")
    }

    private func explore(seed: UInt64) -> (finding: String?, imageCount: Int) {
        var explorer = Explorer(.usual, seed: seed)
        do {
            var session = Session(.usual, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.work(steps: 24, allowsFailedFlush: true)
            try explorer.explore(
                session, Explorer.Plan(cutLimit: 30, sampleCount: 1, depth: 1))
            return (nil, explorer.imageCount)
        } catch { return ("\(error)", explorer.imageCount) }
    }
}
#endif
