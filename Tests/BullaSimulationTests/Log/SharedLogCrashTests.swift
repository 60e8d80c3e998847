import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A shared log on a simulated disk` {
    private static let seeds = TestMode.seeds(TestMode.pick(short: 12, long: 600))

    @Test(arguments: seeds)
    func `loses nothing that was promised, whoever dies`(seed: UInt64) throws {
        let kinds = StoreKind.allCases
        try Finding.within(TestMode.replay(seed)) {
            var session = try SharedLogSession(kinds[Int(seed) % kinds.count], seed: seed)
            do {
                try session.work(steps: TestMode.pick(short: 40, long: 100))
                let imageCount = try session.crash(cutLimit: TestMode.pick(short: 8, long: 40))
                TestMode.tell("seed \(seed): \(imageCount) images")
                try demand(session.promises.count > 2, "the session has done nothing")
            } catch {
                var finding = error as? Finding ?? Finding("\(error)")
                finding.trace = session.trace
                throw finding
            }
        }
    }
}
