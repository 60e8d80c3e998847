import Bulla
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

/// A core whose backend is remote: replies are lost, calls fail, and backends restart.
@Suite("A core over a backend that fails")
struct LostReplyTests {
    private let plan: FaultPlan
    private let room: EmbeddedRoom
    private let fixture: CoreFixture
    private let view: DatabaseView

    init() throws {
        let (plan, room) = (FaultPlan(), try EmbeddedRoom(.gcm))
        (self.plan, self.room) = (plan, room)
        fixture = try CoreFixture(backend: FaultyBackend(room) { plan.next($0) })
        view = try fixture.database()
        // This save creates the record type, and is change 1 of the zone.
        #expect(try view.save("first", ["n": .sealed(.int64(0))]).code == nil)
    }

    /// The number of the zone's changes.
    private func changeCount() throws -> UInt64? {
        try room.backend.zone(named: CoreFixture.zone, in: view.database)?.version
    }

    private func refusal<R>(_ body: () throws -> R) -> RecordError.Code? {
        do { _ = try body() } catch { return (error as? RecordError)?.code }
        return nil
    }

    @Test("says of a batch whose reply was lost that it is made", arguments: [false, true])
    func lostReply(isAtomic: Bool) throws {
        plan.set(.commit, .losesReply)
        let changes = ["a", "b"].map {
            RecordChange($0, .save(RecordChange.Save("Note", .isNew, fields: [:])))
        }
        let results = try view.modify(
            changes + [RecordChange("first", .delete(.none))], in: CoreFixture.zone,
            atomically: isAtomic)
        #expect(results.map(\.code) == [nil, nil, nil])
        #expect(try changeCount() == 4)
        for (name, result) in zip(["a", "b"], results) {
            #expect(try view.record(name).tag == result.record.tag)
        }
        #expect(try !view.has("first"))
    }

    @Test("says of a batch that nobody took that it is worth trying again, and changes nothing")
    func failedCommit() throws {
        plan.set(.commit, .fails)
        #expect(refusal { try view.save("a", [:], .isNew) } == .unavailable)
        #expect(try changeCount() == 1)
        #expect(try !view.has("a"))
        #expect(try view.save("a", [:], .isNew).code == nil)
        #expect(try changeCount() == 2)
    }

    @Test("says of a change that was refused why, beside those that nobody took")
    func refusalBesideFailedCommit() throws {
        let changes = ["first", "a"].map {
            RecordChange($0, .save(RecordChange.Save("Note", .isNew, fields: [:])))
        }
        plan.set(.commit, .fails)
        let results = try view.modify(
            changes + [RecordChange("gone", .delete(.none))], in: CoreFixture.zone)
        #expect(results.map(\.code) == [.recordChanged, .unavailable, nil])
        #expect(try results[0].current?.tag == view.record("first").tag)
        #expect(results[1].error?.retryAfter == 0)
        #expect(try changeCount() == 1)
        let again = try view.modify(changes, in: CoreFixture.zone)
        #expect(again.map(\.code) == [.recordChanged, nil])
    }

    @Test("says so in an atomic batch that was not yet looked at to its end")
    func refusalBesideFailedPlanning() throws {
        #expect(try view.save("a", [:], .isNew).code == nil)
        plan.set(.referrers, .fails)
        let results = try view.modify(
            [
                RecordChange("first", .save(RecordChange.Save("Note", .isNew, fields: [:]))),
                RecordChange("a", .delete(.none)),
            ], in: CoreFixture.zone, atomically: true)
        #expect(results.map(\.code) == [.recordChanged, .batchFailed])
        #expect(try view.has("a"))
    }

    @Test("tells nobody that a schema refused something, which it could not read anew")
    func refusalBesideUnreadSchema() throws {
        let wrong = RecordChange.FieldChange.sealed(.string("of another kind"))
        plan.set(.document, .fails)
        #expect(refusal { try view.save("a", ["n": wrong]) } == .unavailable)
        #expect(try view.save("a", ["n": wrong]).code != .unavailable)
        #expect(try changeCount() == 1)
    }

    @Test("tells a caller that asks again, if it could not find out, that the record is there")
    func unknownOutcome() throws {
        plan.set(.commit, .losesReply)
        plan.set(.outcome, .fails)
        let note = ["n": RecordChange.FieldChange.sealed(.int64(7))]
        #expect(refusal { try view.save("a", note, .isNew) } == .unavailable)
        let again = try view.save("a", note, .isNew)
        #expect(again.code == .recordChanged)
        #expect(try again.current?.value(of: "n") == .int64(7))
        #expect(try changeCount() == 2)
    }

    @Test("goes on over a backend that begins anew, also between a commit and its outcome")
    func restarts() throws {
        plan.set(.commit, .restarts)
        #expect(try view.save("a", [:], .isNew).code == nil)
        plan.set(.commit, .losesReply)
        plan.set(.outcome, .restarts)
        let saved = try view.save("b", [:], .isNew)
        #expect(saved.code == nil)
        #expect(try view.record("b").tag == saved.record.tag)
        #expect(try changeCount() == 3)
    }

    @Test("makes a zone, a type and a share once, though their replies are lost")
    func otherVerbs() throws {
        plan.set(.create, .losesReply)
        #expect(refusal { try view.createZone("two") } == .unavailable)
        try view.createZone("two")
        #expect(try view.zones().map(\.name).filter { $0 == "two" }.count == 1)
        plan.set(.replace, .losesReply)
        #expect(refusal { try view.save("a", type: "New") } == .unavailable)
        #expect(try view.save("a", type: "New").code == nil)
        try fixture.publish(2)
        plan.set(.rekey, .losesReply)
        #expect(refusal { try view.share(with: [2: .readWrite]) } == .unavailable)
        let share = try view.share(with: [2: .readWrite]).record
        let guest = try fixture.accept(fixture.token(of: share), 2)
        #expect(try guest.record("a").type == "New")
        #expect(try fixture.head().1.wraps.count == 1)
    }

    @Test(
        "makes each change once, whichever calls fail",
        arguments: TestMode.seeds(TestMode.pick(short: 2, long: 20)))
    func anyFaults(seed: UInt64) throws {
        let dice = Mutex<TestRandom?>(nil)
        let room = try EmbeddedRoom(seed % 2 == 0 ? .gcm : .plain)
        let faulty = FaultyBackend(room) { call in
            dice.withLock { dice in
                guard dice?.isOne(in: call == .commit ? 2 : 5) == true else { return .none }
                let isRestart = dice?.isOne(in: 12) == true
                return isRestart ? .restarts : dice?.pick([.fails, .losesReply]) ?? .none
            }
        }
        let view = try CoreFixture(backend: faulty).database()
        dice.withLock { $0 = TestRandom(seed: seed) }
        var random = TestRandom(seed: seed &+ 1)
        var (tags, values): ([String: ChangeTag], [String: Int64]) = ([:], [:])
        var made: UInt64 = 0
        for step in 0..<TestMode.pick(short: 60, long: 300) as Range<Int> {
            let (name, value) = ("r\(random.below(6))", Int64(step))
            let condition = tags[name].map { RecordChange.Condition.isUnchanged($0) } ?? .isNew
            while values[name] != value {
                do {
                    let result = try view.save(name, ["n": .sealed(.int64(value))], condition)
                    // If the save is refused, an earlier attempt at it must have succeeded.
                    guard let code = result.code else {
                        (tags[name], values[name]) = (try result.record.tag, value)
                        continue
                    }
                    let current = try #require(result.current, "\(code)")
                    #expect(try current.value(of: "n") == .int64(value), "\(TestMode.replay(seed))")
                    (tags[name], values[name]) = (current.tag, value)
                } catch let error as RecordError where error.code == .unavailable { continue }
            }
            made += 1
        }
        dice.withLock { $0 = nil }
        #expect(
            try room.backend.zone(named: CoreFixture.zone, in: view.database)?.version == made,
            "\(TestMode.replay(seed))")
        for (name, value) in values {
            #expect(try view.record(name).value(of: "n") == .int64(value))
            #expect(try view.record(name).tag == tags[name])
        }
    }
}
