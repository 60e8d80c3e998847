#if BULLA_CHECKS
import Bulla
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A bug planted in the log` {
    private static let seedLimit: UInt64 = 60

    @Test(
        "is found by crashing the simulated disk",
        arguments: [
            PlantedBug.logFlushSkipped, .formerHalfNotFlushed, .logChainIgnored,
            .wholeFrameOverwritten, .otherWorldAppended,
        ])
    func isFound(bug: PlantedBug) throws {
        var imageCount = 0
        for seed in 1...Self.seedLimit {
            do {
                imageCount += try PlantedBug.$current.withValue(bug) {
                    try LogExplorer.run(seed: seed, steps: 60, cutLimit: 12, depth: 2).images
                }
            } catch {
                return TestMode.tell("\(bug), seed \(seed), \(imageCount) images: \(error)")
            }
        }
        Issue.record("\(bug) was not found in \(imageCount) images")
    }

    @Test("that says nothing of a log that ends early is found by damaging one")
    func logEndUnreported() throws {
        #expect(throws: Finding.self) {
            try PlantedBug.$current.withValue(.logEndUnreported) {
                try LogDamage.search(.gcm, seed: 1)
            }
        }
    }
}
#endif
