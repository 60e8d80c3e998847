import Bulla
import BullaObjects
import BullaTestSupport
import Testing

@Suite struct `Objects of random schemas` {
    private static let operationCount = TestMode.pick(short: 400, long: 200_000)

    @Test(arguments: TestMode.seeds(TestMode.pick(short: 6, long: 10)), [StoreKind.gcm, .plain])
    func `are what plain dictionaries hold, and so is what queries find`(
        seed: UInt64, kind: StoreKind
    ) throws {
        var run = try ObjectRun(seed: seed, kind, operations: Self.operationCount)
        for _ in 0..<Self.operationCount { try run.step() }
        try run.checkAll()
    }
}
