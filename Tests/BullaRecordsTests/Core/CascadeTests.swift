import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Records that go with others")
struct CascadeTests {
    /// A change that saves a new record, which is deleted together with any one of its targets.
    private func change(_ name: String, with targets: [String]) -> RecordChange {
        let zone = ZoneIdentifier(CoreFixture.zone, owner: try? CoreFixture.identifier(1))
        let values = targets.map { target in
            RecordValue.reference(
                RecordReference(RecordIdentifier(target, in: zone), action: .deleteSelf))
        }
        var fields: [String: RecordChange.FieldChange?] = [:]
        if !values.isEmpty { fields["to"] = .plain(.list(.reference, values)) }
        return RecordChange(name, .save(RecordChange.Save("Note", .isNew, fields: fields)))
    }

    private func save(_ changes: [RecordChange], _ view: DatabaseView) throws {
        for start in stride(from: 0, to: changes.count, by: 200) {
            let results = try view.modify(
                Array(changes[start..<min(start + 200, changes.count)]), in: CoreFixture.zone)
            #expect(results.allSatisfy { $0.error == nil })
        }
    }

    private func changeCount(_ fixture: CoreFixture) throws -> UInt64 {
        try fixture.head().0.version
    }

    @Test("Up to 750 records go with one, and with more of them it stays")
    func referrers() throws {
        let fixture = try CoreFixture()
        let view = try fixture.database()
        try save([change("target", with: [])], view)
        try save((0..<751).map { change("r\($0)", with: ["target"]) }, view)
        #expect(try view.delete("target").code == .limitExceeded)
        #expect(try changeCount(fixture) == 752)
        #expect(try view.has("target") && view.has("r0") && view.has("r750"))
        #expect(try view.delete("r750").code == nil)
        #expect(try view.delete("target").code == nil)
        #expect(try changeCount(fixture) == 753 + 751)
        #expect(try !view.has("target") && !view.has("r0") && !view.has("r749"))
    }

    @Test("One that goes along takes no more with it than one that is asked for")
    func referrersOfReferrers() throws {
        var limits = RecordLimits()
        limits.referrerCount = 3
        let fixture = try CoreFixture(limits: limits)
        let view = try fixture.database()
        try save([change("a", with: []), change("b", with: ["a"])], view)
        try save((0..<4).map { change("c\($0)", with: ["b"]) }, view)
        let before = try changeCount(fixture)
        #expect(
            try refused { try view.delete("a") }?.code == .limitExceeded)
        #expect(try changeCount(fixture) == before)
        #expect(try view.delete("c3").code == nil)
        #expect(try view.delete("a").code == nil)
        for name in ["a", "b", "c0", "c2"] { #expect(try !view.has(name)) }
    }

    @Test("A request deletes so many records, those that go along among them, and no more")
    func cascades() throws {
        var limits = RecordLimits()
        limits.cascadeCount = 10
        let fixture = try CoreFixture(limits: limits)
        let view = try fixture.database()
        // A chain of records, in which deleting each one deletes the next.
        try save((0..<11).map { change("r\($0)", with: $0 == 0 ? [] : ["r\($0 - 1)"]) }, view)
        let before = try changeCount(fixture)
        #expect(try refused { try view.delete("r0") }?.code == .limitExceeded)
        #expect(try changeCount(fixture) == before)
        #expect(try view.has("r0") && view.has("r10"))
        #expect(try view.delete("r1").code == nil)
        #expect(try changeCount(fixture) == before + 10)
        #expect(try view.has("r0") && !view.has("r1") && !view.has("r10"))
    }

    @Test("Records that take each other along go together")
    func circle() throws {
        let fixture = try CoreFixture()
        let view = try fixture.database()
        try save([change("a", with: ["b"]), change("b", with: ["a", "b"])], view)
        #expect(try view.delete("a").code == nil)
        #expect(try !view.has("a") && !view.has("b"))
    }
}
