#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaTestSupport
import Testing

@Suite("Records in three clusters", .threeClusters, .serialized)
struct ThreeClusterTests {
    @Test("do what every backend must", arguments: ConformanceCheck.all)
    func conforms(check: ConformanceCheck) throws {
        var bench = BackendBench(try ClustersRoom().backend)
        try check.run(&bench)
    }

    @Test("have one home and all changes, wherever a mover is stopped and another goes on")
    func stopped() throws {
        let stride = TestMode.pick(short: 3, long: 1)
        try StoppedMovers(ClustersRoom().sites).run(seed: 5, by: stride)
    }

    @Test("answer as if they had never moved, whatever is asked of them")
    func alike() throws {
        let seed = TestMode.seeds(1)[0]
        var answers = MovedAnswers(try ClustersRoom().sites, seed: seed)
        try answers.run(seed: seed, callCount: TestMode.pick(short: 700, long: 5_000))
    }

    @Test(
        "ignore a mover that is late, whatever it was about to do",
        arguments: AccountMover.Step.allCases)
    func late(step: AccountMover.Step) throws {
        let room = try ClustersRoom()
        try LateMover(room.sites, room.gateway(), before: step).run(seed: 61)
    }
}
#endif
