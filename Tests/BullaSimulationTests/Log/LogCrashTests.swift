import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A log on a simulated disk` {
    private static let seeds = TestMode.seeds(TestMode.pick(short: 12, long: 600))

    @Test(arguments: seeds)
    func `loses nothing that was durable, and applies nothing torn`(seed: UInt64) throws {
        try Finding.within(TestMode.replay(seed)) {
            let (images, end) = try LogExplorer.run(
                seed: seed, steps: TestMode.pick(short: 60, long: 120),
                cutLimit: TestMode.pick(short: 12, long: 60), depth: 2)
            TestMode.tell("seed \(seed): \(images) images, \(end.commit) commits")
            // Some seeds fill a half, and go on in the next one.
            try demand(end.commit > 5, "the session has done nothing")
        }
    }
}
