import Bulla
import BullaRecords
import BullaTestSupport
import Testing

/// What only a comparison of all records with the hash in the zone's head can reveal.
@Suite("Verification of zones")
struct ZoneVerificationTests {
    private let fixture: CoreFixture
    private let rows: RecordRows
    private let view: DatabaseView

    init() throws {
        fixture = try CoreFixture()
        rows = RecordRows(fixture.store)
        view = try fixture.database()
        for name in ["a", "b", "c"] { try save(name, 1) }
        try save("b", 2)
        #expect(try view.delete("c").code == nil)
    }

    private func save(_ name: String, _ revision: Int64) throws {
        let fields: [String: RecordChange.FieldChange] = [
            "s": .sealed(.int64(revision)), "p": .plain(.int64(1)),
        ]
        #expect(try view.save(name, fields).code == nil)
    }

    private func verification(
        in view: DatabaseView? = nil, _ zone: String = CoreFixture.zone
    ) throws -> ZoneVerification {
        let view = view ?? self.view
        let verification = try view.verify(zone)
        // An operator, without the users' keys, gets the same result, except for records that do
        // not open.
        let operators = try fixture.core.verify(rows.head(zone, view.database))
        #expect(operators.recordCount == verification.recordCount)
        #expect(operators.isComplete == verification.isComplete)
        return verification
    }

    /// Changes the zone's rows with `body`, expects a verification to find the zone incomplete, and
    /// puts the former rows back.
    private func expectTold(
        _ comment: Comment, _ body: (inout [[UInt8]: [UInt8]], _ life: [UInt8]) throws -> Void
    ) throws {
        let life = try rows.head(CoreFixture.zone, view.database).incarnation.bytes
        var former: [[UInt8]: [UInt8]] = [:]
        try rows.change("records") { rows in
            former = rows
            try body(&rows, life)
        }
        let verification = try verification()
        #expect(!verification.isComplete && verification.failureCount == 0, comment)
        #expect(verification.fault(in: CoreFixture.zone)?.code == .damaged, comment)
        try rows.change("records") { $0 = former }
        #expect(try self.verification().fault(in: CoreFixture.zone) == nil, comment)
    }

    @Test("finds a zone sound, whatever its records have been through")
    func sound() throws {
        #expect(try verification().recordCount == 2)
        var random = TestRandom(seed: 3)
        for step in 0..<60 as Range<Int64> {
            let name = "r\(random.below(9))"
            if random.isOne(in: 3) { _ = try view.delete(name) } else { try save(name, step) }
        }
        try fixture.publish(2)
        let share = try view.share(with: [2: .readWrite]).record
        let guest = try fixture.accept(fixture.token(of: share), 2)
        let saved = try guest.save("guests", ["s": .sealed(.int64(1))])
        #expect(saved.code == nil, "\(String(describing: saved.error))")
        #expect(try view.share(with: [:]).code == nil)
        try save("a", 7)
        #expect(try verification().fault(in: CoreFixture.zone) == nil)
        try view.createZone("empty")
        #expect(try verification("empty").recordCount == 0)
        #expect(try verification("empty").isComplete)
    }

    @Test("covers the public database, and the default zone")
    func otherZones() throws {
        let everybodys = try fixture.core.database(.public, .account(fixture.account()))
        for view in [everybodys, view] {
            let zone = ZoneIdentifier.defaultName
            for name in ["x", "y", "x"] {
                #expect(try view.save(name, ["p": .plain(.int64(1))], in: zone).code == nil)
            }
            #expect(try verification(in: view, zone).recordCount == 2)
            #expect(try verification(in: view, zone).isComplete)
        }
    }

    @Test("tells of an older record in the place of a newer one")
    func olderRecord() throws {
        let key = Array("b".utf8)
        var older: [UInt8] = []
        try rows.change("records") { rows in
            older = try #require(rows.first { $0.key.dropFirst(16).elementsEqual(key) }?.value)
        }
        try save("b", 3)
        // Reading the older record reveals nothing: it opens, and the zone's head is the newest.
        try expectTold("older record") { rows, life in
            // Give the older record the version of the newer one, so that it matches the feed.
            let newer = try #require(rows[life + key])
            rows[life + key] = Array(newer[..<8] + older[8...])
            #expect(rows[life + key] != newer)
        }
    }

    @Test("tells of a record that is missing, one too many, or under another name")
    func otherRecords() throws {
        try expectTold("missing") { rows, life in rows[life + Array("a".utf8)] = nil }
        try expectTold("all missing") { rows, _ in rows = [:] }
        var deleted: [UInt8] = []
        try save("c", 4)
        try rows.change("records") { rows in
            deleted = try #require(
                rows.first { $0.key.dropFirst(16).elementsEqual(Array("c".utf8)) }?.value)
        }
        #expect(try view.delete("c").code == nil)
        try expectTold("not deleted any more") { rows, life in
            rows[life + Array("c".utf8)] = deleted
        }
    }

    @Test("tells of a record that does not open, and names it")
    func damagedRecord() throws {
        let own = try rows.sealed("a", CoreFixture.zone, view.database)
        var changed = own
        changed[changed.count - 1] ^= 1
        try rows.put(sealed: changed, "a", CoreFixture.zone, view.database)
        let found = try verification()
        #expect(!found.isComplete && found.failureCount == 1 && found.recordCount == 2)
        #expect(found.failures.map(\.name) == ["a"])
        #expect(found.fault(in: "notes")?.reason.contains("the first of them is a") == true)
        try rows.put(sealed: [1, 2, 3], "a", CoreFixture.zone, view.database)
        #expect(try verification().failureCount == 1)
        try rows.put(sealed: own, "a", CoreFixture.zone, view.database)
        #expect(try verification().fault(in: "notes") == nil)
    }

    @Test("is not misled by a writer that changed what was put back")
    func changedAfterwards() throws {
        let key = Array("b".utf8)
        var older: [UInt8] = []
        let life = try rows.head(CoreFixture.zone, view.database).incarnation.bytes
        try rows.change("records") { older = try #require($0[life + key]) }
        try save("b", 3)
        try rows.change("records") { rows in
            let newer = try #require(rows[life + key])
            rows[life + key] = Array(newer[..<8] + older[8...])
        }
        // The writer takes the older record out of the hash, and the newer one stays in it.
        try save("b", 4)
        #expect(try !verification().isComplete)
    }

    @Test("is refused for a zone that is not there, or whose head was changed")
    func refusals() throws {
        #expect(try refused { try view.verify("nowhere") }?.code == .zoneNotFound)
        let head = try rows.head(CoreFixture.zone, view.database)
        var changed = head
        changed.seal = []
        try rows.put(changed)
        #expect(try refused { try view.verify(CoreFixture.zone) }?.code == .damaged)
        #expect(try refused { try fixture.core.verify(changed) }?.code == .damaged)
        try rows.put(head)
        #expect(try verification().isComplete)
    }

    @Test("reads one moment, whatever writers do meanwhile")
    func writersMeanwhile() throws {
        let writer = TestThread { [self] in
            for step in 0..<TestMode.pick(short: 100, long: 2_000) as Range<Int64> {
                for name in ["a", "d", "e"] { try save(name, step) }
                _ = try view.delete("d")
            }
        }
        repeat { #expect(try view.verify(CoreFixture.zone).isComplete) } while !writer.hasEnded
        try writer.join()
        #expect(try verification().isComplete)
    }
}
