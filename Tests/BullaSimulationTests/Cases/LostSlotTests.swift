import Bulla
import BullaSimulation
import BullaTestSupport
import Testing

/// After a power cut one of the two meta slots is damaged: the other one, together with the log
/// from there on, has everything that was acknowledged.
@Suite(.serialized) struct `A store that has lost a meta slot` {
    @Test(
        "47. opens at the other one, whatever was not flushed",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 60)))
    func anyCut(seed: UInt64) throws {
        let configuration = Configuration.of(seed: seed)
        try Finding.within(TestMode.replay(seed)) {
            var session = Session(configuration, try SimulatedDisk(), seed: seed)
            defer { session.end() }
            try session.traced { session in
                try session.work(steps: TestMode.pick(short: 12, long: 30))
                for pageCount in [1, 50, 40] { try session.putLarge(pageCount: pageCount, .full) }
                try session.checkpoint(0)
                try session.work(steps: 2)
                try session.closeAll()
            }
            var explorer = Explorer(configuration, seed: seed)
            try explorer.explore(
                session,
                Explorer.Plan(
                    cutLimit: TestMode.pick(short: 8, long: 60), sampleCount: 1, depth: 1,
                    crashAgainOneIn: 20, losesSlots: true))
            TestMode.tell("seed \(seed): \(explorer.imageCount) images")
        }
    }

    /// The process dies before it names its checkpoint in the first slot, or in the second.
    private static let faults = (0..<3).map { count in
        DiskFault(
            .write, .kill(isBefore: true), after: count, nameEnd: ".bulla",
            toOffset: UInt64(PageFormat.preambleByteCount))
    }

    private static let plan = Explorer.Plan(
        cutLimit: TestMode.pick(short: 12, long: 100), sampleCount: 1, losesSlots: true)

    private static func explore(
        _ course: DyingCheckpoint, _ configuration: Configuration, seed: UInt64
    ) throws -> Int {
        try faults.reduce(0) { count, fault in
            let more = try Finding.within("\(TestMode.replay(seed)), \(fault)") {
                try course.explore(fault, configuration, seed: seed, plan)
            }
            return count + (more ?? 0)
        }
    }

    @Test(
        "47. opens at the other one, though a checkpoint was never confirmed",
        arguments: [DyingCheckpoint.ofValues, .ofHalves], DyingCheckpoint.configurations)
    func unconfirmed(course: DyingCheckpoint, configuration: Configuration) throws {
        for seed in TestMode.seeds(TestMode.pick(short: 1, long: 40)) {
            let imageCount = try Self.explore(course, configuration, seed: seed)
            #expect(imageCount > 100)
            TestMode.tell("\(course), seed \(seed): \(imageCount) images")
        }
    }

    #if BULLA_CHECKS
    /// The bugs reuse pages, or a half of the log, that one slot still needs and the other does
    /// not.
    @Test(
        "47. is found out where what one slot alone needs is used again",
        arguments: zip(
            [PlantedBug.pagesFreedEarly, .halfFreedEarly], [DyingCheckpoint.ofValues, .ofHalves]))
    func planted(bug: PlantedBug, course: DyingCheckpoint) {
        let found = (1...10).first { (seed: UInt64) in
            let result = PlantedBug.$current.withValue(bug) {
                Result { try Self.explore(course, DyingCheckpoint.configurations[0], seed: seed) }
            }
            guard case .failure(let error) = result else { return false }
            TestMode.tell("\(bug), seed \(seed): \(error)")
            return error is Finding
        }
        #expect(found != nil)
        for seed in 1...(found ?? 1) {
            #expect(throws: Never.self) {
                try Self.explore(course, DyingCheckpoint.configurations[0], seed: seed)
            }
        }
    }
    #endif
}
