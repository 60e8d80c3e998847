import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Changing records")
struct ModifyTests {
    private let fixture: CoreFixture
    private let view: DatabaseView

    init() throws {
        fixture = try CoreFixture()
        view = try fixture.database()
    }

    @Test("A saved record is read as it was saved, by whom it belongs to alone")
    func roundTrip() throws {
        let saved = try view.save(
            "a", ["title": .plain(.string("t")), "body": .sealed(.string("secret"))]
        ).record
        let read = try view.record("a")
        #expect(read.tag == saved.tag && read.type == "Note")
        #expect(try read.value(of: "title") == .string("t"))
        #expect(try read.value(of: "body") == .string("secret"))
        #expect(try read.value(of: "none") == nil)
        #expect(read.stamps.created.account == view.session.account)
        let other = try fixture.database(2)
        #expect(try !other.has("a"))
    }

    @Test("A save goes by what its caller has read")
    func conditions() throws {
        #expect(try view.save("a", [:], .isNew).code == nil)
        let again = try view.save("a", [:], .isNew)
        #expect(again.code == .recordChanged)
        let tag = try #require(again.current).tag
        let next = try view.save("a", ["n": .plain(.int64(1))], .isUnchanged(tag)).record
        #expect(next.tag != tag && next.opened.record.formerTag == tag)
        let late = try view.save("a", ["n": .plain(.int64(2))], .isUnchanged(tag))
        #expect(late.code == .recordChanged && late.current?.tag == next.tag)
        #expect(try view.record("a").value(of: "n") == .int64(1))
        #expect(try view.save("b", [:], .isUnchanged(tag)).code == .unknownItem)
        #expect(try view.save("a", ["n": .plain(.int64(3))], .none).code == nil)
    }

    @Test("A save leaves other fields as they are, or replaces all")
    func merging() throws {
        _ = try view.save(
            "a", ["p": .plain(.int64(1)), "s": .sealed(.int64(1)), "gone": .plain(.int64(1))])
        let merged = try view.save("a", ["p": .plain(.int64(2)), "gone": nil]).record
        #expect(try merged.value(of: "p") == .int64(2))
        #expect(try merged.value(of: "s") == .int64(1))
        #expect(try merged.value(of: "gone") == nil)
        let replaced = try view.save("a", ["s": .sealed(.int64(3))], isReplacing: true).record
        #expect(replaced.fields.map(\.name) == ["s"])
        #expect(try view.record("a").value(of: "s") == .int64(3))
    }

    @Test("A field does not change its kind, nor become encrypted or plain")
    func fieldKinds() throws {
        _ = try view.save("a", ["p": .plain(.int64(1)), "s": .sealed(.int64(1))])
        let refused: [RecordChange.FieldChange] = [.sealed(.int64(1)), .plain(.string("x"))]
        for change in refused {
            #expect(try view.save("a", ["p": change]).code == .invalidArguments)
            #expect(try view.save("other", ["p": change]).code == .invalidArguments)
        }
        #expect(try view.save("other", ["s": .plain(.int64(1))]).code == .invalidArguments)
        #expect(try view.save("a", type: "Other").code == .invalidArguments)
    }

    @Test("A server, and a caller without a user, have only the public database")
    func publicAlone() throws {
        for session in [Session.server, .nobody] {
            for scope in [DatabaseScope.private, .shared] {
                let error = refusal { () throws(RecordError) in
                    try fixture.core.database(scope, session)
                }
                #expect(error?.code == .notAuthenticated)
            }
            let view = try fixture.core.database(.public, session)
            #expect(throws: RecordError.self) { try view.createZone("own") }
        }
    }

    @Test("Neither references nor assets are encrypted")
    func unsealable() throws {
        var random = TestRandom(seed: 4)
        for kind in [ValueKind.reference, .asset] {
            let field = RecordChange.FieldChange.sealed(random.value(of: kind))
            #expect(try view.save("a", ["f": field]).code == .invalidArguments)
        }
        #expect(try !view.has("a"))
    }

    @Test("A record is deleted as its caller has read it, and once")
    func deletions() throws {
        let first = try view.save("a").record.tag
        let second = try view.save("a").record.tag
        let late = try view.delete("a", .isUnchanged(first))
        #expect(late.code == .recordChanged && late.current?.tag == second)
        #expect(try view.delete("a", .isUnchanged(second)).code == nil)
        #expect(try !view.has("a"))
        #expect(try view.delete("a").code == nil)
        #expect(try view.delete("a", .isUnchanged(second)).code == .unknownItem)
        #expect(try view.save("a", [:], .isNew).code == nil)
    }

    @Test("An atomic batch is made as a whole, or not at all")
    func atomicBatches() throws {
        _ = try view.save("there")
        let changes = ["x", "there", "y"].map {
            RecordChange($0, .save(RecordChange.Save("Note", .isNew, fields: [:])))
        }
        let refused = try view.modify(changes, in: CoreFixture.zone, atomically: true)
        #expect(refused.map(\.code) == [.batchFailed, .recordChanged, .batchFailed])
        #expect(try !view.has("x") && !view.has("y"))
        let each = try view.modify(changes, in: CoreFixture.zone)
        #expect(each.map(\.code) == [nil, .recordChanged, nil])
        #expect(try view.has("x") && view.has("y"))
    }

    @Test("A request names a record once, and not too many of them")
    func requests() throws {
        let twice = [RecordChange("a", .delete(.none)), RecordChange("a", .delete(.none))]
        let error = #expect(throws: RecordError.self) {
            try view.modify(twice, in: CoreFixture.zone)
        }
        #expect(error?.code == .invalidArguments)
        let many = (0...200).map { RecordChange("r\($0)", .delete(.none)) }
        #expect(throws: RecordError.self) { try view.modify(many, in: CoreFixture.zone) }
        #expect(try view.save("").code == .invalidArguments)
        #expect(try view.save("_name").code == .invalidArguments)
        let long = String(repeating: "x", count: 1 << 20)
        #expect(try view.save("long", ["f": .plain(.string(long))]).code == .limitExceeded)
    }

    @Test("A child that is saved gives its parent a new tag")
    func parents() throws {
        let folder = try view.save("folder", ["s": .sealed(.string("kept"))]).record
        let child = try view.save("child", [:], parent: .record(folder.identifier)).record
        #expect(child.parent == folder.identifier)
        let touched = try view.record("folder")
        #expect(touched.tag != folder.tag)
        #expect(touched.stamps.modified == folder.stamps.modified)
        #expect(try touched.value(of: "s") == .string("kept"))
        #expect(try view.save("folder", [:], .isUnchanged(folder.tag)).code == .recordChanged)
        let nowhere = RecordIdentifier("nowhere", in: folder.identifier.zone)
        #expect(try view.save("b", [:], parent: .record(nowhere)).code == .referenceViolation)
    }

    @Test("What refers to a record goes with it, keeps it, or is left alone")
    func references() throws {
        let target = try view.save("target").record.identifier
        func refer(_ name: String, _ action: RecordReference.Action) throws {
            let value = RecordValue.reference(RecordReference(target, action: action))
            #expect(try view.save(name, ["to": .plain(value)]).code == nil)
        }
        try refer("keeper", .validate)
        try refer("follower", .deleteSelf)
        try refer("stranger", .none)
        let second = RecordReference(
            RecordIdentifier("follower", in: target.zone), action: .deleteSelf)
        _ = try view.save(
            "last", ["to": .plain(.list(.reference, [.reference(second)]))], type: "L")
        #expect(try view.delete("target").code == .referenceViolation)
        #expect(try view.has("target") && view.has("follower"))
        #expect(try view.delete("keeper").code == nil)
        #expect(try view.delete("target").code == nil)
        #expect(try !view.has("target") && !view.has("follower") && !view.has("last"))
        #expect(try view.has("stranger"))
    }

    @Test("A damaged record can be replaced by force, and not changed otherwise")
    func damaged() throws {
        let tag = try view.save("a", ["s": .sealed(.int64(1))]).record.tag
        try fixture.store.write { change in
            let tree = try change.tree(named: "records")
            var (key, value) = try #require(change.entries(of: tree).first)
            // A byte of the seal, which is near the end of the row, before the index places, the
            // counts and the digest.
            value[value.count - 96] ^= 1
            try change.put(value, forKey: key, in: tree)
        }
        let error = #expect(throws: RecordError.self) { try view.record("a") }
        #expect(error?.code == .damaged)
        #expect(try view.save("a", [:], .isUnchanged(tag)).code == .damaged)
        #expect(try view.save("a", ["s": .sealed(.int64(2))]).code == .damaged)
        #expect(try view.save("a", ["s": .sealed(.int64(2))], isReplacing: true).code == nil)
        #expect(try view.record("a").value(of: "s") == .int64(2))
    }

    @Test("The default zone is there from the beginning, and has no atomic batches")
    func defaultZone() throws {
        let name = ZoneIdentifier.defaultName
        let changes = ["a", "b"].map {
            RecordChange($0, .save(RecordChange.Save("Note", .isNew, fields: [:])))
        }
        _ = try view.modify([changes[1]], in: name)
        let results = try view.modify(changes, in: name, atomically: true)
        #expect(results.map(\.code) == [nil, .recordChanged])
        #expect(throws: RecordError.self) { try view.changes(in: name) }
        #expect(throws: RecordError.self) { try view.deleteZone(name) }
        #expect(try view.zones().map(\.name) == [name, CoreFixture.zone])
    }

    @Test("Two threads that change one record one after the other lose no change")
    func contention() throws {
        _ = try view.save("counter", ["n": .sealed(.int64(0))])
        let view = view
        let threads = (0..<2).map { _ in
            TestThread {
                for _ in 0..<100 {
                    var isDone = false
                    while !isDone {
                        let record = try view.record("counter")
                        guard case .int64(let count) = try record.value(of: "n") else { return }
                        let result = try view.save(
                            "counter", ["n": .sealed(.int64(count + 1))], .isUnchanged(record.tag))
                        isDone = result.code == nil
                    }
                }
            }
        }
        for thread in threads { try thread.join() }
        #expect(try view.record("counter").value(of: "n") == .int64(200))
    }
}
