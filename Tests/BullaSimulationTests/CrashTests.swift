import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A simulated disk` {
    /// In the long mode, each history has at least 500 images: 100 000 altogether.
    private static let historyCount = TestMode.pick(short: 4, long: 200)
    private static let leastImageCount = TestMode.pick(short: 1, long: 500)
    private static let stepCount = TestMode.pick(short: 12, long: 30)

    @Test(
        "3. A power cut after any event leaves a commit between the durable and the newest, whole",
        arguments: TestMode.seeds(historyCount))
    func powerCut(seed: UInt64) throws {
        let configuration = Configuration.of(seed: seed)
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(configuration, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.work(steps: Self.stepCount, allowsFailedFlush: seed % 3 == 0)
                try session.closeAll()
            }
            var explorer = Explorer(configuration, seed: seed)
            let plan = Explorer.Plan(
                cutLimit: TestMode.pick(short: 6, long: 60),
                sampleCount: TestMode.pick(short: 1, long: 2), depth: 2,
                crashAgainOneIn: TestMode.pick(short: 8, long: 20), losesSlots: seed % 4 == 1)
            repeat {
                try explorer.explore(session, plan)
            } while explorer.imageCount < Self.leastImageCount
            TestMode.tell(
                "seed \(seed): \(session.disk.eventCount) events, \(explorer.imageCount) images")
        }
    }
}
