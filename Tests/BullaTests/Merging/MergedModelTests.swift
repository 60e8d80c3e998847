import Bulla
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A tree under memtables and a sorted dictionary` {
    private static let rounds = TestMode.pick(short: 12, long: 1500)

    @Test(arguments: ModelConfiguration.all, TestMode.seeds(1))
    func `agree in every verb`(configuration: ModelConfiguration, seed: UInt64) throws {
        let scratch = try Scratch()
        var run = try MergedRun(configuration, path: scratch.path("merged.bulla"), seed: seed)
        try run.run(rounds: Self.rounds)
    }
}
