import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("A backend of records")
struct BackendConformanceTests {
    @Test("does what every one must", arguments: BackendMaker.all, ConformanceCheck.all)
    func conforms(maker: BackendMaker, check: ConformanceCheck) throws {
        let room = try maker.make()
        var bench = BackendBench(room.backend)
        try check.run(&bench)
    }

    @Test(
        "does so for a caller that asks again, despite failures, lost replies and restarts",
        arguments: BackendMaker.all, ConformanceCheck.all)
    func conformsOverFaults(maker: BackendMaker, check: ConformanceCheck) throws {
        for seed in TestMode.seeds(TestMode.pick(short: 1, long: 5)) {
            let dice = Mutex(TestRandom(seed: seed))
            let faulty = FaultyBackend(try maker.make(), isPatient: true) { call in
                dice.withLock { dice in
                    guard dice.isOne(in: 2) else { return .none }
                    if dice.isOne(in: 40) { return .restarts }
                    return Self.answersOnce.contains(call)
                        ? .fails : dice.pick([.fails, .losesReply, .breaksOff])
                }
            }
            var bench = BackendBench(faulty, seed: seed)
            try check.run(&bench)
        }
    }

    /// Calls whose second answer differs from the first, and tells callers what became of the first
    /// call.
    private static let answersOnce: Set<FaultyBackend.Call> = [
        .create, .rekey, .delete, .replace, .freeOrphans,
    ]

    @Test(
        "is none where it tears batches, and the checks see that", arguments: BackendMaker.all,
        [
            "a batch is seen whole, and its changes have numbers in order",
            "a batch of which one change conflicts changes nothing",
            "a batch is committed once, and what became of it is known",
            "every conflict of a batch is told, each with what stands there",
            "chunks that are put at once follow each other, over what was there",
        ])
    func torn(maker: BackendMaker, name: String) throws {
        let check = try #require(ConformanceCheck.all.first { $0.description == name })
        var bench = BackendBench(
            FaultyBackend(try maker.make()) { [.commit, .put].contains($0) ? .tears : .none })
        withKnownIssue { try check.run(&bench) }
    }
}
