import Bulla
import BullaProcessSupport
import BullaRecords
import BullaRecordsWorker
import BullaTestSupport
import Foundation
import Testing

@Suite("Movers of accounts that are killed")
struct KilledMoverTests {
    private static let killCount = TestMode.pick(short: 40, long: 1_000)

    private let crew: TrialCrew
    private let trial: PlacedTrial
    private let database: Database
    private let zone: ZoneLife

    init() throws {
        crew = try TrialCrew()
        trial = try PlacedTrial(crew.folder)
        database = try PlacedTrial.database(1)
        let incarnation = try #require(RandomIdentifier(bytes: Array(0..<16)))
        let head = StoredZone(database, name: "zone", incarnation: incarnation, epoch: 1, keys: [])
        #expect(try trial.placed.create(head))
        zone = ZoneLife(head)
    }

    @Test("leave one home at any time, and every batch once, while writers are killed too")
    func kills() throws {
        let seed = TestMode.seeds(1)[0]
        var random = TestRandom(seed: seed)
        var movers = try (0..<2).map { _ in try crew.worker("move") }
        let writers = try (0..<2).map { KilledWriter($0, try start($0, first: 1)) }
        for _ in 0..<Self.killCount {
            for writer in writers { try readSome(of: writer, random.below(8)) }
            // This delay puts the kill somewhere within a step, or between two steps.
            Thread.sleep(forTimeInterval: Double(random.below(30_000)) / 1_000_000)
            if random.isOne(in: 3) {
                let writer = random.pick(writers)
                try end(writer)
                writer.process = try start(writer.number, first: writer.last + 1)
            } else {
                let number = random.below(movers.count)
                try movers[number].kill()
                try expectOneHome()
                movers[number] = try crew.worker("move")
            }
            try expectOneHome()
        }
        // Movers that are left alone bring the account to a site.
        for mover in movers { _ = try #require(try mover.line(), "\(crew.complaints)") }
        for mover in movers { try mover.kill() }
        for writer in writers { try end(writer) }
        try trial.mover.resume(database)
        try checkAll(writers)
        for store in trial.stores { #expect(try store.check().isSound) }
        try trial.close()
    }

    @Test("leave an account that another one brings to its end, at whichever step they are killed")
    func eachStep() throws {
        var (stepCount, hasArrived) = (0, false)
        var number: UInt64 = 0
        while !hasArrived {
            // Each round begins another move, and kills its mover one step later than in the round
            // before.
            let target = 1 + stepCount % 2
            let mover = try crew.worker("move", "target=\(target)", "steps=\(stepCount)")
            let (name, _) = try WorkerProcess.parse(
                try #require(try mover.line(), "\(crew.complaints)"))
            hasArrived = name == "at"
            if hasArrived { try crew.expectEnd(of: mover) } else { try mover.kill() }
            try expectOneHome()
            try trial.mover.resume(database)
            try trial.mover.move(database, to: PlacedTrial.name(target))
            number += 1
            let batch = try TrialBatch.batch(0, number, in: zone, time: Int64(number))
            guard case .committed = try trial.placed.commit(batch) else {
                throw RecordError(.internalError, "batch \(number) was refused")
            }
            let head = try trial.placed.zone(named: zone.name, in: database)
            #expect(head?.version == number * UInt64(TrialBatch.changeCount))
            let homes = try trial.placed.homes(of: database.place)[database]
            #expect(homes?.home == PlacedTrial.name(target))
            for name in trial.placed.sites.keys where name != homes?.home {
                #expect(try trial.holdsNothing(name, of: database))
            }
            stepCount += 1
        }
        #expect(stepCount > 12)
        for store in trial.stores { #expect(try store.check().isSound) }
        try trial.close()
    }

    private func start(_ number: Int, first: UInt64) throws -> WorkerProcess {
        try crew.worker("batch", "placed=1", "zone=zone", "writer=\(number)", "first=\(first)")
    }

    private func readSome(of writer: KilledWriter, _ count: Int) throws {
        for _ in 0..<count {
            try writer.note(try #require(try writer.process.line(), "\(crew.complaints)"))
        }
    }

    /// Kills a writer, and asks for the outcome of its last attempted batch.
    private func end(_ writer: KilledWriter) throws {
        for line in try writer.process.kill() { try writer.note(line) }
        let tried = try TrialBatch.identifier(writer.number, writer.tried)
        let isCommitted = try outcome(of: tried) != nil
        #expect(writer.tried <= writer.done + 1)
        // If the last batch was acknowledged, it is committed.
        #expect(isCommitted || writer.tried > writer.done || writer.tried == 0)
        writer.last = isCommitted ? writer.tried : writer.done
        (writer.tried, writer.done) = (writer.last, writer.last)
    }

    /// The outcome of a batch; if the database has no home just now, this first finishes its move.
    private func outcome(of batch: RandomIdentifier) throws(RecordError) -> UInt64? {
        while true {
            do throws(RecordError) { return try trial.placed.outcome(of: batch, in: zone) } catch {
                guard error.hasMoved else { throw error }
                try resume()
            }
        }
    }

    /// Finishes the move, unless a mover that still lives does that.
    private func resume() throws(RecordError) {
        do throws(RecordError) { try trial.mover.resume(database) } catch {
            guard error.hasMoved else { throw error }
        }
    }

    private func expectOneHome() throws {
        // The account may move between the reads of two rows, so that both say that their site is
        // the home; their generations differ in that case.
        let rows = try trial.placed.sites.values.compactMap { try $0.moves.home(of: database) }
        let homes = rows.filter(\.isHome)
        #expect(Set(homes.map(\.generation)).count == homes.count)
    }

    /// Checks that the zone has what the writers have committed, and nothing else.
    private func checkAll(_ writers: [KilledWriter]) throws {
        let page = try #require(
            try trial.placed.changes(in: zone, after: 0, limit: 1_000_000))
        let total = writers.map(\.last).reduce(0, +)
        #expect(page.headVersion == total * UInt64(TrialBatch.changeCount))
        var versions: Set<UInt64> = []
        var numbers: [String: UInt64] = [:]
        for (name, record) in page.changes {
            versions.insert(record.version)
            if let bytes = record.bytes { numbers[name] = bytes.load(UInt64.self, at: 0) }
        }
        #expect(versions.count == page.changes.count)
        var expected: [String: UInt64] = [:]
        for writer in writers where writer.last > 0 {
            for index in 0..<TrialBatch.sharedCount {
                expected[TrialBatch.shared(writer.number, index)] = writer.last
            }
            expected[TrialBatch.own(writer.number, writer.last)] = writer.last
            for number in max(1, writer.last &- 40)...writer.last {
                let identifier = try TrialBatch.identifier(writer.number, number)
                #expect(try trial.placed.outcome(of: identifier, in: zone) != nil)
            }
        }
        #expect(numbers == expected)
        let range = IndexKey.field("number", of: TrialBatch.type)
        let found = try trial.placed.scan(range, in: zone, after: nil, limit: 10_000).names
        #expect(found.sorted() == expected.keys.sorted())
        // No site but the home has anything of the account.
        let home = try #require(try trial.placed.entry(of: database))
        #expect(home.state == .settled)
        for name in trial.placed.sites.keys where name != home.home {
            #expect(try trial.holdsNothing(name, of: database))
        }
    }
}

/// A writer and its reports.
private final class KilledWriter {
    let number: Int
    var process: WorkerProcess
    var tried: UInt64 = 0
    var done: UInt64 = 0
    /// The number of its last batch that is committed; 0 if there is none.
    var last: UInt64 = 0

    init(_ number: Int, _ process: WorkerProcess) {
        (self.number, self.process) = (number, process)
    }

    func note(_ line: String) throws {
        let (name, value) = try WorkerProcess.parse(line)
        if name == "try" { tried = value } else { done = value }
    }
}
