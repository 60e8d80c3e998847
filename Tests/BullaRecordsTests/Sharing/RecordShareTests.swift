import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("A share of one record")
struct RecordShareTests {
    private let fixture: CoreFixture
    private let all = ["top", "root", "a", "b", "other", "c", "share"]
    private let shared: Set<String> = ["root", "a", "b", "share"]

    init() throws { fixture = try CoreFixture() }

    @Test("shows its root, what is below it, and itself, and nothing else of the zone")
    func reading() throws {
        let (owner, token) = try fixture.sharedBranch(with: [2: .readOnly])
        #expect(try refused { try fixture.view(2).records([], in: "notes") }?.code == .zoneNotFound)
        let invitation = try fixture.core.shares.invitation(
            token, .account(fixture.account(2)), hasRoot: true)
        #expect(invitation.root == "root" && invitation.acceptance == .pending)
        #expect(try invitation.rootRecord?.value(of: "s") == .string("v-root"))
        let other = try fixture.accept(token, 2)
        #expect(try other.zones().map(\.name) == ["notes"])
        #expect(try other.readable(all) == shared)
        #expect(try owner.readable(all) == Set(all))
        for name in ["root", "a", "b"] {
            #expect(try other.record(name).value(of: "s") == .string("v-\(name)"))
            #expect(try owner.record(name).value(of: "s") == .string("v-\(name)"))
        }
        #expect(try owner.record("root").share == "share" && other.record("root").share == "share")
        #expect(try owner.record("a").share == nil && owner.record("top").share == nil)
        let told = try other.record("share")
        #expect(told.sharing?.root == "root" && told.sharing?.participants.count == 1)
        #expect(try told.value(of: "cloudkit.title") == .string("title"))
        let query = RecordQuery("Note", filters: [.init("n", .equals, [.int64(1)])])
        #expect(
            Set(try other.query(query, in: "notes").records.map(\.identifier.name))
                == ["root", "a", "b"])
        #expect(try refused { try other.verify("notes") }?.code == .permissionFailure)
        #expect(try owner.verify("notes").fault(in: "notes") == nil)
        #expect(try refused { try other.modify([], in: "notes") } == nil)
        #expect(try refused { try other.put("a", "x") }?.code == .permissionFailure)
    }

    @Test("has records that are sealed under its key alone")
    func sealing() throws {
        let (owner, _) = try fixture.sharedBranch(with: [2: .readOnly])
        let (head, keyring) = try fixture.head()
        let share = try #require(keyring.shares.first)
        let stored = try fixture.backend.records(all, in: ZoneLife(head))
        for (name, record) in zip(all, stored) {
            let sealed = try #require(record?.bytes.flatMap { SealedRecord($0) })
            #expect(sealed.share == (shared.contains(name) ? share.key : nil), "\(name)")
        }
        #expect(share.value.root == "root" && share.value.name == "share")
        #expect(Set(share.value.wraps.keys) == [head.epoch])
        _ = try owner.put("d", "v", below: "b")
        let next = try fixture.backend.records(["d"], in: ZoneLife(head))[0]?.bytes
        #expect(next.flatMap { SealedRecord($0) }?.share == share.key)
    }

    @Test("gains and loses whole branches, and its followers converge")
    func moving() throws {
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        var follower = try Follower(other)
        #expect(follower.names == shared)
        #expect(try owner.move("other", below: "b").code == nil)
        try follower.follow()
        #expect(follower.names == shared.union(["other", "c"]))
        #expect(try other.record("c").value(of: "s") == .string("v-c"))
        #expect(try owner.move("a", below: nil).code == nil)
        let before = follower
        try follower.follow()
        #expect(follower.names == ["root", "share"])
        #expect(follower.deleted == ["a", "b", "other", "c"])
        #expect(try other.readable(all) == ["root", "share"])
        #expect(try owner.record("c").value(of: "s") == .string("v-c"))
        // A follower that knows that records have left is told nothing more about them.
        _ = try owner.put("c", "secret")
        _ = try owner.delete("b")
        try follower.follow()
        #expect(follower.deleted.isEmpty)
        var late = before
        try late.follow()
        #expect(late.names == follower.names && late.deleted == ["a", "b", "other", "c"])
        // If a name is used again, a late follower is told that the former record was deleted.
        _ = try owner.put("b", "again")
        late = before
        try late.follow()
        #expect(late.names == follower.names && late.deleted.contains("b"))
        #expect(try owner.move("a", below: "root").code == nil)
        try follower.follow()
        #expect(follower.names == ["root", "a", "share"])
        #expect(try owner.verify("notes").fault(in: "notes") == nil)
    }

    @Test("lets who may write do so inside it, and nowhere else")
    func writing() throws {
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        #expect(try other.put("a", "mine").code == nil)
        #expect(try other.put("root", "mine").code == nil)
        #expect(try other.put("new", "mine", below: "b").code == nil)
        for name in ["a", "root", "new"] {
            #expect(try owner.record(name).value(of: "s") == .string("mine"))
        }
        #expect(try owner.verify("notes").fault(in: "notes") == nil)
        #expect(try other.put("alone", "x").code == .permissionFailure)
        #expect(try other.put("c", "x").code == .permissionFailure)
        #expect(try other.put("stranger", "x", below: "other").code == .referenceViolation)
        #expect(try other.move("a", below: nil).code == .permissionFailure)
        #expect(try other.move("a", below: "other").code == .referenceViolation)
        #expect(try other.move("root", below: "b").code != nil)
        #expect(try other.delete("root").code == .permissionFailure)
        #expect(try other.delete("a").code == .referenceViolation)
        #expect(try other.share("share", of: nil, with: [:]).code == .permissionFailure)
        #expect(try other.share("mine", of: "a", with: [:]).code == .permissionFailure)
        // A hidden record seems not to exist.
        #expect(try other.delete("c").code == nil)
        #expect(try owner.has("c"))
        let tag = try owner.record("c").tag
        #expect(try other.delete("c", .isUnchanged(tag)).code == .unknownItem)
        #expect(try other.put("c", "x", .isUnchanged(tag)).code == .unknownItem)
        #expect(try other.delete("new").code == nil)
        #expect(try !owner.has("new"))
    }

    @Test("takes no record that refers to a deleted one along, unless it is shared, too")
    func cascades() throws {
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        let reference = RecordReference(owner.identifier("b"), action: .deleteSelf)
        _ = try owner.save("c", ["r": .plain(.reference(reference))]).record
        #expect(try other.delete("b").code == .permissionFailure)
        #expect(try owner.has("b") && owner.has("c"))
        // Nor does the reason name a record that is hidden.
        let found = RecordReference(owner.identifier("root"), action: .deleteSelf)
        _ = try owner.save("diary", ["r": .plain(.reference(found))]).record
        _ = try owner.save("a", ["r": .plain(.reference(found))]).record
        for name in ["b", "root", "a"] {
            let error = try #require(try other.delete(name).error)
            #expect(!"\(error)".contains("diary") && !"\(error)".contains("record c"))
        }
        _ = try owner.move("c", below: "a").record
        #expect(try other.delete("b").code == nil)
        #expect(try !owner.has("b") && !owner.has("c"))
    }

    @Test("tells participants nothing of what is above its root, nor of other shares")
    func surroundings() throws {
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        #expect(try owner.record("root").parent?.name == "top")
        #expect(try other.record("root").parent == nil)
        for (_, record) in try other.changes(in: "notes").changed {
            #expect(try shared.contains(record.get().parent?.name ?? "share"))
        }
        // The root keeps its parent, though a participant that replaces the root cannot name the
        // parent.
        let whole = try other.save(
            "root", ["s": .sealed(.string("whole"))], isReplacing: true
        ).record
        #expect(try whole.parent == nil && owner.record("root").parent?.name == "top")
        #expect(try other.move("root", below: nil).code == .permissionFailure)
        #expect(try other.move("root", below: "other").code == .permissionFailure)
        #expect(try owner.save("root", isReplacing: true).record.parent == nil)
        _ = try owner.share("second", of: "other", with: [:]).record
        #expect(try other.delete("second").code == nil && owner.has("second"))
        #expect(try other.put("x", "v", below: "second").code == .referenceViolation)
        #expect(try other.put("second", "v").code == .permissionFailure)
        #expect(try other.put("second", "v", .isNew).code == .permissionFailure)
        #expect(try !other.has("second"))
    }

    @Test("is one for a record, and none beside the share of a zone")
    func exclusion() throws {
        let (owner, _) = try fixture.sharedBranch(with: [2: .readOnly])
        #expect(try owner.share("second", of: "root", with: [:]).code == .alreadyShared)
        #expect(try owner.share("second", of: "a", with: [:]).code == .alreadyShared)
        #expect(try owner.share("second", of: "top", with: [:]).code == .alreadyShared)
        #expect(try owner.share("share", of: "a", with: [:]).code == .invalidArguments)
        #expect(try owner.share("second", of: "missing", with: [:]).code == .unknownItem)
        #expect(try owner.share("second", of: "share", with: [:]).code == .invalidArguments)
        #expect(try owner.share(with: [:]).code == .invalidArguments)
        #expect(try owner.save("a", type: SystemType.share).code == .invalidArguments)
        #expect(try owner.put("x", "v", below: "share").code == .invalidArguments)
        #expect(try owner.share("second", of: "other", with: [2: .readOnly]).code == nil)
        #expect(try owner.move("other", below: "a").code == .alreadyShared)
        #expect(try owner.move("c", below: "a").code == nil)
        #expect(try owner.move("a", below: "b").code == .invalidArguments)
        #expect(try owner.move("root", below: "a").code == .invalidArguments)
        let (head, keyring) = try fixture.head()
        #expect(Set(keyring.shares.values.map(\.name)) == ["share", "second"])
        let moved = try fixture.backend.records(["c"], in: ZoneLife(head))[0]?.bytes
        let own = keyring.shares.first { $0.value.name == "share" }?.key
        #expect(moved.flatMap { SealedRecord($0) }?.share == own)
        #expect(try owner.delete("share").code == nil && owner.delete("second").code == nil)
        #expect(try owner.share(with: [:]).code == nil)
        #expect(try owner.share("share", of: "root", with: [:]).code == .invalidArguments)
    }

    @Test("is saved together with its root")
    func together() throws {
        let owner = try fixture.database(1)
        let share = RecordChange.Save(SystemType.share, .isNew, fields: [:], root: "root")
        let root = RecordChange.Save("Note", .isNew, fields: ["s": .sealed(.string("v"))])
        let results = try owner.modify(
            [RecordChange("share", .save(share)), RecordChange("root", .save(root))],
            in: "notes", atomically: true)
        #expect(results.map(\.code) == [nil, nil])
        #expect(try results[1].record.share == "share")
        #expect(try owner.record("root").tag == results[1].record.tag)
        let first = try owner.record("root").tag
        #expect(try owner.share("share", of: nil, with: [:]).code == nil)
        #expect(try owner.record("root").tag == first)
    }

    @Test(
        "ends with its record or its root, and leaves nothing under its keys",
        arguments: ["share", "root"])
    func ending(deleted: String) throws {
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        #expect(try owner.delete(deleted).code == nil)
        #expect(try refused { try other.records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try other.zones().isEmpty && !owner.has("share"))
        let (head, keyring) = try fixture.head()
        #expect(keyring.shares.isEmpty && head.epoch == 3)
        for name in ["a", "b"] {
            #expect(try owner.record(name).value(of: "s") == .string("v-\(name)"))
            let stored = try fixture.backend.records([name], in: ZoneLife(head))[0]?.bytes
            let sealed = try #require(stored.flatMap { SealedRecord($0) })
            #expect(sealed.share == nil && sealed.epoch == 3)
        }
        let session = try Session.account(fixture.account(2))
        #expect(
            try refused { try fixture.core.shares.accept(token, session) }?.code == .unknownItem)
        #expect(try owner.verify("notes").fault(in: "notes") == nil)
        // The same record can be shared again, under another share.
        guard deleted == "share" else { return }
        let again = try owner.share("share", of: "root", with: [2: .readOnly]).record
        try fixture.accept(fixture.token(of: again), 2)
        #expect(try other.readable(all) == shared)
        #expect(
            try refused { try fixture.core.shares.accept(token, session) }?.code == .unknownItem)
    }

    @Test("ends however many records it has, and is finished by the next change if interrupted")
    func longEnding() throws {
        var limits = RecordLimits()
        limits.changeCount = 3
        let fixture = try CoreFixture(limits: limits)
        let (owner, token) = try fixture.sharedBranch(with: [2: .readWrite])
        try fixture.accept(token, 2)
        for number in 0..<10 { _ = try owner.put("n\(number)", "v", below: "b").record }
        // The process ends after the head has lost the share.
        try fixture.forge { keyring in
            for share in keyring.shares.keys {
                keyring.shares[share]?.isEnding = true
                keyring.shares[share]?.members = ZoneShare()
            }
        }
        #expect(try owner.record("n3").value(of: "s") == .string("v"))
        _ = try owner.put("other", "v")
        #expect(try fixture.head().1.shares.isEmpty)
        #expect(try owner.record("n3").value(of: "s") == .string("v"))
        #expect(try owner.verify("notes").fault(in: "notes") == nil)
    }

    @Test("whose records were not made is made by another save")
    func interrupted() throws {
        let (owner, _) = try fixture.sharedBranch(with: [2: .readWrite])
        _ = try owner.share("second", of: "other", with: [2: .readOnly]).record
        // The process ends before the second share's records are made.
        try fixture.forge { keyring in
            let second = keyring.shares.first { $0.value.name == "second" }
            guard let second else { return }
            var lost = RecordShare(named: "lost", of: "top")
            (lost.wraps, lost.members) = (second.value.wraps, second.value.members)
            keyring.shares[try .new()] = lost
        }
        #expect(try owner.delete("share").code == nil)
        let made = try owner.share("third", of: "top", with: [2: .readOnly]).record
        let other = try fixture.accept(fixture.token(of: made), 2)
        #expect(try other.readable(all) == ["top", "root", "a", "b"])
        #expect(try Set(fixture.head().1.shares.values.map(\.name)) == ["second", "third"])
    }

    @Test("is one of so many in its zone, of so many records at once")
    func limits() throws {
        var limits = RecordLimits()
        #expect(limits.shareCount == 100)
        (limits.shareCount, limits.cascadeCount) = (1, 4)
        let fixture = try CoreFixture(limits: limits)
        let (owner, _) = try fixture.sharedBranch(with: [2: .readOnly])
        #expect(try owner.share("second", of: "other", with: [:]).code == .limitExceeded)
        _ = try owner.put("d", "v", below: "b").record
        let error = try refused { try owner.move("root", below: nil) }
        #expect(error == nil)
        _ = try owner.delete("share")
        #expect(
            try refused { try owner.share("share", of: "root", with: [:]) }?.code == .limitExceeded)
        #expect(try fixture.head().1.shares.isEmpty)
    }
}

/// A follower of the fixture's zone, with what it was told.
struct Follower {
    private let view: DatabaseView
    private var token: [UInt8]?
    private(set) var records: [String: Record] = [:]
    /// The types of the records that were reported as deleted since the last call of
    /// ``follow(limit:)`` began, by name.
    private(set) var deletedTypes: [String: String] = [:]
    private(set) var restarts = 0

    init(_ view: DatabaseView) throws {
        self.view = view
        try follow()
    }

    /// A follower that has read nothing.
    init(beginning view: DatabaseView) { self.view = view }

    var names: Set<String> { Set(records.keys) }
    var deleted: Set<String> { Set(deletedTypes.keys) }

    mutating func follow(limit: Int = 3) throws {
        deletedTypes = [:]
        while try turn(limit: limit) {}
    }

    /// Reads one page, and returns whether there are more.
    mutating func turn(limit: Int) throws -> Bool {
        let page: ZoneChanges
        do throws(RecordError) {
            page = try view.changes(in: CoreFixture.zone, since: token, limit: limit)
        } catch {
            guard error.code == .changeTokenExpired, token != nil else { throw error }
            (token, records, restarts) = (nil, [:], restarts + 1)
            return true
        }
        for (name, record) in page.changed { records[name] = try record.get() }
        for (name, type) in page.deleted {
            records[name] = nil
            deletedTypes[name] = type
        }
        token = page.token
        return page.hasMore
    }
}
