#if PostgreSQL
import BullaProcessSupport
import BullaRecords
import BullaRecordsPostgreSQL
import BullaRecordsSupport
import BullaRecordsWorker
import BullaTestSupport
import Testing

@Suite("Processes that write to three clusters", .threeClusters, .serialized)
struct ThreeClusterProcessTests {
    private static let writerCount = 4
    private static let followerCount = 2
    /// One account for each cluster.
    private static let accounts: [UInt8] = [1, 2, 3]
    private static let zones = accounts.flatMap { account in
        ["a", "b"].map { TrialZone(account, $0) }
    }

    /// How many batches each writer commits to each zone, so that there are enough changes in all.
    private static let batchCount: Int = {
        let changeCount = TestMode.pick(short: 2_000, long: 20_000)
        let share = writerCount * zones.count * TrialBatch.smallChangeCount
        return (changeCount + share - 1) / share
    }()

    /// The milliseconds between the beginnings of a writer's attempts.
    ///
    /// Commits are timed in the long mode. There, a cluster that is down leaves no work to others.
    private static let interval = TestMode.pick(short: 0, long: 40)

    /// One in this many commits at a cluster is lost.
    private static let lossPeriod = TestMode.pick(short: 40, long: 240)

    /// How the writers' work is spread over processes.
    enum Spread {
        /// Each process writes to all clusters.
        case overAll
        /// Each process writes to one cluster, and shares only the machine with the writers of
        /// other clusters.
        ///
        /// If the crash of one cluster changes the speed of the other clusters' writers, this
        /// change is what a crash costs on this machine.
        case apart
    }

    @Test(
        "lose nothing acknowledged, and apply nothing twice, while one is killed and replies drop",
        arguments: TestMode.pick(
            short: [(3, .overAll)], long: [(1, .overAll), (3, .overAll), (3, .apart)])
            as [(UInt8, Spread)])
    func kills(victim: UInt8, spread: Spread) throws {
        let room = try ClustersRoom()
        let crew = try TrialCrew()
        let heads = try makeZones(room.sites)
        let followers = try startFollowers(room, crew)
        let plans = ThreeClusters.present.map { _ in LossPlan(period: Self.lossPeriod) }
        let relays = try zip(ThreeClusters.present, plans).map { cluster, plan in
            try LossyRelay(to: cluster) { plan.next() }
        }
        let course = WriterCourse(crew, try commands(spread, room, relays))
        let cluster = ThreeClusters.present[Self.index(of: victim)]
        try withExtendedLifetime(relays) {
            try course.run { try Self.killTwice(cluster, of: victim, $0) }
        }
        let reports = course.reports
        let lostReplyCounts = plans.map(\.lostReplyCount)
        #expect(lostReplyCounts.allSatisfy { $0 > 0 })
        #expect(reports.contains { $0.attemptCount > 1 })
        let expected = try checkAll(heads, reports, room.sites)
        for follower in followers { try end(follower, crew, expected) }
        for account in Self.accounts {
            let own = reports.filter { $0.zone.account == account }
            let name = Self.site(of: account) + (account == victim ? ", which was killed" : "")
            print("\(spread), \(name): \(CommitFigures(own, course.windows))")
        }
    }

    private static func index(of account: UInt8) -> Int { Int(account) - 1 }
    private static func site(of account: UInt8) -> String { PlacedSites.name(index(of: account)) }

    /// Makes the zones, and moves each account to its cluster.
    private func makeZones(_ sites: PlacedSites) throws -> [TrialZone: StoredZone] {
        // If there is a key mark, a process needs the first cluster only when it starts.
        let place = TrialSite.place
        #expect(try sites.placed.replace("key mark", of: place, version: 0, with: [1]))
        var heads: [TrialZone: StoredZone] = [:]
        for zone in Self.zones {
            let head = StoredZone(
                try zone.database(), name: zone.name, incarnation: try RandomIdentifier.new(),
                epoch: 1, keys: [])
            #expect(try sites.placed.create(head))
            heads[zone] = head
        }
        for account in Self.accounts {
            let database = try PlacedTrial.database(account)
            #expect(try sites.move(database, to: Self.site(of: account)))
        }
        return heads
    }

    private static func list(_ zones: [TrialZone]) -> String {
        "zones=" + zones.map(\.text).joined(separator: ",")
    }

    private func startFollowers(
        _ room: ClustersRoom, _ crew: TrialCrew
    ) throws -> [WorkerProcess] {
        let sites = try ServedTrial.value(room.addresses)
        let followers = try (1...Self.followerCount).map { seed in
            try crew.worker("feed", sites, Self.list(Self.zones), "seed=\(seed)")
        }
        for follower in followers { _ = try follower.values() }
        return followers
    }

    /// The values of each writer's command; writers reach the clusters over the relays.
    private func commands(
        _ spread: Spread, _ room: ClustersRoom, _ relays: [LossyRelay]
    ) throws -> [[String]] {
        let addresses = try zip(relays, room.addresses).map { try $0.address($1.database) }
        let sites = try ServedTrial.value(addresses)
        let shares =
            switch spread {
            case .overAll: [Self.zones]
            case .apart: Self.accounts.map { one in Self.zones.filter { $0.account == one } }
            }
        return (0..<Self.writerCount).flatMap { writer in
            shares.map { zones in
                [
                    sites, Self.list(zones), "writer=\(writer)", "batches=\(Self.batchCount)",
                    "interval=\(Self.interval * shares.count)",
                ]
            }
        }
    }

    /// Kills the cluster of an account twice, and each time starts it again once the writers have
    /// come further at the other clusters.
    private static func killTwice(
        _ cluster: PostgreSQLCluster, of victim: UInt8, _ course: WriterCourse
    ) throws {
        let perAccount = writerCount * batchCount * zones.count / accounts.count
        let elsewhere = perAccount * (accounts.count - 1)
        func wait(sixths: Int, victim least: Int) throws {
            try course.wait { counts in
                let count = counts.reduce(0) { $1.key == victim ? $0 : $0 + $1.value }
                return count >= elsewhere * sixths / 6 && counts[victim] ?? 0 >= least
            }
        }
        for round in 0..<2 {
            // Before it is killed, the cluster commits something more, unless nothing is left to
            // commit there.
            let least = min(course.count(of: victim) + 1, perAccount)
            try wait(sixths: 2 * round + 1, victim: least)
            let start = BatchReport.now
            try cluster.kill(9)
            let advance = Result { try wait(sixths: 2 * round + 2, victim: 0) }
            let end = BatchReport.now
            // Even if a writer has failed, the others cannot end while the cluster is down. Where
            // commits are timed, they feel the start as if it happened on another machine.
            try cluster.start(isIdle: TestMode.pick(short: false, long: true))
            course.note(.down, start..<end)
            course.note(.starting, end..<BatchReport.now)
            try advance.get()
        }
    }

    /// Checks that each zone has what was reported, and that there is nothing else.
    ///
    /// - Returns: what followers must have at the end.
    private func checkAll(
        _ heads: [TrialZone: StoredZone], _ reports: [BatchReport], _ sites: PlacedSites
    ) throws -> [String: String] {
        var states: [String: String] = [:]
        for (zone, head) in heads {
            let own = reports.filter { $0.zone == zone }
            try check(ZoneLife(head), own, sites.placed, as: model(head, own))
            var reader = FeedCopy()
            while try reader.turn(100, sites.placed, ZoneLife(head)) {}
            for (name, state) in reader.states { states["\(zone.text)/\(name)"] = state }
        }
        for account in Self.accounts {
            let database = try PlacedTrial.database(account)
            let names = try sites.placed.zones(in: database).map(\.name).sorted()
            #expect(names == ["a", "b"])
            try sites.expectSettled(database, at: Self.site(of: account))
        }
        let total = Self.writerCount * Self.zones.count * Self.batchCount
        #expect(reports.count == total)
        return states
    }

    /// A backend to which every acknowledged batch is committed once, in the order of the reported
    /// numbers.
    private func model(_ head: StoredZone, _ reports: [BatchReport]) throws -> MemoryBackend {
        let model = MemoryBackend()
        #expect(try model.create(head))
        for report in reports.sorted(by: { $0.first < $1.first }) {
            let batch = try TrialBatch.small(report.writer, report.number, in: ZoneLife(head))
            let outcome = try model.commit(batch)
            #expect(outcome == .committed(first: report.first))
        }
        return model
    }

    private func check(
        _ zone: ZoneLife, _ reports: [BatchReport], _ placed: PlacedBackend,
        as model: MemoryBackend
    ) throws {
        for writer in 0..<Self.writerCount {
            let numbers = reports.filter { $0.writer == writer }.map { Int($0.number) }
            #expect(numbers == Array(1...Self.batchCount))
        }
        for report in reports {
            let identifier = try TrialBatch.identifier(report.writer, report.number)
            let outcome = try placed.outcome(of: identifier, in: zone)
            #expect(outcome == report.first)
        }
        let found = try placed.changes(in: zone, after: 0, limit: 1_000_000)
        let expected = try model.changes(in: zone, after: 0, limit: 1_000_000)
        #expect(found == expected)
        let changeCount = reports.count * TrialBatch.smallChangeCount
        #expect(found?.headVersion == UInt64(changeCount))
        let range = IndexKey.field("number", of: TrialBatch.type)
        let names = try placed.scan(range, in: zone, after: nil, limit: 10_000).names
        let expectedNames = try model.scan(range, in: zone, after: nil, limit: 10_000).names
        #expect(names == expectedNames)
    }

    /// Ends a follower, and expects that it has exactly what a new reader finds.
    private func end(
        _ follower: WorkerProcess, _ crew: TrialCrew, _ expected: [String: String]
    ) throws {
        follower.child.closeInput()
        var states: [String: String] = [:]
        for line in try follower.lines() {
            let parts = line.split(separator: "=").map { String($0) }
            try #require(parts.count == 2)
            states[parts[0]] = parts[1]
        }
        try crew.expectEnd(of: follower)
        #expect(states == expected && !states.isEmpty)
    }
}
#endif
