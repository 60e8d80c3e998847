#if Objects
import BullaTestSupport
import Testing

@Suite struct `A database of twelve models` {
    private static let operationCount = TestMode.pick(short: 600, long: 200_000)

    @Test(arguments: TestMode.seeds(TestMode.pick(short: 4, long: 10)), [StoreKind.gcm, .plain])
    func `agrees with dictionaries, with indexes and without`(
        seed: UInt64, kind: StoreKind
    ) throws {
        var run = try WorldRun(seed: seed, kind)
        for _ in 0..<Self.operationCount { try run.step() }
        try run.checkAll()
    }
}
#endif
