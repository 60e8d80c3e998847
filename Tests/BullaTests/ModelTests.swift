import Bulla
import BullaTestSupport
import Testing

@Suite(.serialized) struct `A store and a sorted dictionary` {
    /// In the long mode, the runs of each page size and kind make over a million operations
    /// together.
    private static let operations = TestMode.pick(short: 600, long: 520_000)

    @Test(arguments: ModelConfiguration.all + ModelConfiguration.logged, TestMode.seeds(1))
    func `agree after every operation`(
        configuration: ModelConfiguration, seed: UInt64
    ) throws {
        let scratch = try Scratch()
        var run = try ModelRun(configuration, path: scratch.path("model.bulla"), seed: seed)
        try run.run(operations: Self.operations)
    }
}
