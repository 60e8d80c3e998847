#if BULLA_CHECKS
import Bulla
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A bug planted beneath the model` {
    private static let seedLimit: UInt64 = 20
    private static let operations = 600

    /// A configuration with a log so short that the trees constantly take it over.
    private static let configuration = ModelConfiguration.logged[0]

    private static func run(_ seed: UInt64) throws {
        let scratch = try Scratch()
        var run = try ModelRun(configuration, path: scratch.path("model.bulla"), seed: seed)
        try run.run(operations: operations)
    }

    @Test(arguments: [PlantedBug.tombstoneLost, .filterNotUpdated])
    func `is found by it, and nothing without`(bug: PlantedBug) throws {
        for seed in 1...Self.seedLimit {
            try Self.run(seed)
            do { try PlantedBug.$current.withValue(bug) { try Self.run(seed) } } catch {
                return #expect(error is ModelMismatch, "\(error)")
            }
        }
        Issue.record("\(bug) was not found with \(Self.seedLimit) seeds")
    }
}
#endif
