#if PostgreSQL
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaTestSupport
import Foundation
import Synchronization
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
        let room = try ClustersRoom()
        var (stepCount, hasArrived) = (0, false)
        while !hasArrived {
            let sites = room.sites
            let client = try MovedClient(sites.placed, seed: 5_000 &+ UInt64(stepCount))
            sites.note(client.time)
            let database = client.database
            hasArrived = try sites.move(database, to: "site2", stepCount: stepCount) { _ in
                self.use(client, sites)
            }
            try sites.expectOneHome(of: database)
            for _ in 0..<5 { try client.act() }
            #expect(
                try sites.move(database, to: "site2") { _ in self.use(client, sites) })
            try client.expectEqual()
            try sites.expectSettled(database, at: "site2")
            stepCount += TestMode.pick(short: 3, long: 1)
        }
        #expect(stepCount > 20)
    }

    private func use(_ client: MovedClient, _ sites: PlacedSites) {
        do {
            try client.act()
            try sites.expectOneHome(of: client.database)
        } catch { Issue.record(error) }
    }

    @Test("answer as if they had never moved, whatever is asked of them")
    func alike() throws {
        let (room, memory) = (try ClustersRoom(), MemoryBackend())
        let seed = TestMode.seeds(1)[0]
        var model = BackendModel(memory, seed: seed, hasAccounts: false)
        var random = TestRandom(seed: seed &+ 1)
        var target = 0
        func advance() throws {
            let isDone = try room.sites.move(
                BackendBench.public, to: PlacedSites.name(target), stepCount: random.below(80))
            if isDone { target = (target + 1) % 3 }
        }
        for number in 0..<TestMode.pick(short: 700, long: 5_000) {
            if random.isOne(in: 4) { try advance() }
            let step = model.next()
            let expected = step.answer(of: memory)
            var answer = step.answer(of: room.sites.placed)
            for _ in 0..<1_000 where answer == .failed(.unavailable) {
                try advance()
                answer = step.answer(of: room.sites.placed)
            }
            guard answer == expected || step.description == "free orphans" else {
                Issue.record(
                    "step \(number), \(step): \(answer), not \(expected); \(TestMode.replay(seed))")
                return
            }
            model.learn(answer)
        }
    }

    @Test("converge under writers, followers and movers, while a server is killed")
    func storm() throws {
        let room = try ClustersRoom()
        let clusters = ThreeClusters.present
        let storm = try MoveStorm(
            seed: 11, batchCount: TestMode.pick(short: 100, long: 1_000)
        ) { try room.gateway(patience: .milliseconds(50)) }
        let killer = Killer(clusters)
        killer.begin()
        try storm.run()
        try killer.join()
    }
}

/// Kills each server once, and starts it again.
private final class Killer: Sendable {
    private let clusters: [PostgreSQLCluster]
    private let failure = Mutex<(any Error)?>(nil)
    private let ended = DispatchSemaphore(value: 0)

    init(_ clusters: [PostgreSQLCluster]) { self.clusters = clusters }

    func begin() {
        Thread.detachNewThread { [self] in
            do {
                for cluster in clusters {
                    Thread.sleep(forTimeInterval: 0.3)
                    try cluster.kill(9)
                    try cluster.start()
                }
            } catch { failure.withLock { $0 = error } }
            ended.signal()
        }
    }

    func join() throws {
        ended.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
#endif
