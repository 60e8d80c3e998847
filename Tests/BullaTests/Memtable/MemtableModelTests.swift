import Bulla
import BullaTestSupport
import Testing

@Suite struct `A memtable and a sorted dictionary` {
    @Test(arguments: TestMode.seeds(TestMode.pick(short: 4, long: 12)))
    func `agree in every version that is held, after edits, cuts and drops`(seed: UInt64) throws {
        var run = try MemtableRun(seed: seed)
        try run.run(edits: TestMode.pick(short: 40, long: 300))
    }
}
