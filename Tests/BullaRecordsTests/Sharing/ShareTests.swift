import Bulla
import BullaRecords
import BullaTestSupport
import Testing

@Suite("Shares of zones")
struct ShareTests {
    private let fixture: CoreFixture

    init() throws { fixture = try CoreFixture() }

    @Test("A participant reads and writes what the owner shares, once it has accepted")
    func roundTrip() throws {
        let owner = try fixture.database(1)
        _ = try owner.save("old", ["s": .sealed(.string("before"))])
        let (_, token) = try fixture.shared(with: [2: .readWrite])
        let early = try fixture.view(2)
        #expect(
            try refused { try early.records(["old"], in: CoreFixture.zone) }?.code == .zoneNotFound)
        #expect(try early.zones().isEmpty)
        let other = try fixture.accept(token, 2)
        #expect(try other.record("old").value(of: "s") == .string("before"))
        let saved = try other.save("new", ["s": .sealed(.string("theirs"))]).record
        #expect(saved.identifier.zone.owner == owner.database.owner)
        #expect(saved.stamps.created.account == other.session.account)
        #expect(try owner.record("new").value(of: "s") == .string("theirs"))
        #expect(try owner.record("new").share == ZoneSharing.recordName)
        #expect(try other.zones() == [saved.identifier.zone])
        let mine = try fixture.core.database(.shared, owner.session)
        #expect(try mine.zones().isEmpty)
    }

    @Test("The share is a record of its zone, with the participants")
    func shareRecord() throws {
        let (owner, token) = try fixture.shared(with: [2: .readOnly], title: "T")
        let account = try CoreFixture.identifier(2)
        let share = try owner.record(ZoneSharing.recordName)
        #expect(share.type == SystemType.share && share.share == nil)
        #expect(try share.value(of: "cloudkit.title") == .string("T"))
        #expect(share.sharing?.participants[account]?.acceptance == .pending)
        let since = try owner.changes(in: CoreFixture.zone).token
        let other = try fixture.accept(token, 2)
        let page = try owner.changes(in: CoreFixture.zone, since: since)
        #expect(page.changed.map(\.name) == [ZoneSharing.recordName])
        let told = try page.changed[0].record.get()
        #expect(told.sharing?.participants[account]?.acceptance == .accepted)
        #expect(try other.record(ZoneSharing.recordName).tag == told.tag)
        // Its title changes, but its participants do not.
        let renamed = try owner.share(with: nil, title: "U", .isUnchanged(told.tag)).record
        #expect(renamed.sharing == told.sharing)
        #expect(try owner.share(with: [:], .isUnchanged(told.tag)).code == .recordChanged)
        #expect(try owner.share(with: [:], .isNew).code == .recordChanged)
        #expect(try owner.record(ZoneSharing.recordName).sharing == told.sharing)
    }

    @Test("In production too a zone is shared without a type in the schema")
    func production() throws {
        let fixture = try CoreFixture(.production)
        let (owner, token) = try fixture.shared(with: [2: .readOnly])
        try fixture.accept(token, 2)
        let save = RecordChange.Save(
            SystemType.share, .none, fields: ["own": .plain(.string("x"))])
        let change = RecordChange(ZoneSharing.recordName, .save(save))
        #expect(try owner.modify([change], in: CoreFixture.zone)[0].code == .invalidArguments)
    }

    @Test("A read-only participant writes nothing, until the owner permits it")
    func permissions() throws {
        let (owner, token) = try fixture.shared(with: [2: .readOnly])
        let other = try fixture.accept(token, 2)
        _ = try owner.save("a")
        #expect(try other.has("a"))
        #expect(
            try refused { try other.modify([RecordChange("a", .delete(.none))], in: "notes") }?.code
                == .permissionFailure)
        let (before, _) = try fixture.head()
        _ = try owner.share(with: [2: .readWrite]).record
        #expect(try fixture.head().0.epoch == before.epoch)
        #expect(try other.delete("a").code == nil)
        _ = try owner.share(with: [2: .readOnly]).record
        #expect(
            try refused { try other.modify([RecordChange("b", .delete(.none))], in: "notes") }?.code
                == .permissionFailure)
    }

    @Test("Nobody but the owner changes the share")
    func ownership() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        #expect(try other.share(with: [:]).code == .permissionFailure)
        #expect(try other.share(with: nil, title: "mine").code == .permissionFailure)
        let child = try other.save(
            "child",
            parent: .record(
                RecordIdentifier(
                    ZoneSharing.recordName, in: ZoneIdentifier("notes", owner: owner.database.owner)
                )))
        #expect(child.code == .invalidArguments)
        #expect(try refused { try other.createZone("more") }?.code == .permissionFailure)
        let reference = RecordReference(
            RecordIdentifier("a", in: ZoneIdentifier("notes", owner: owner.database.owner)),
            action: .deleteSelf)
        let save = RecordChange.Save(
            SystemType.share, .none, fields: ["r": .plain(.reference(reference))])
        let change = RecordChange(ZoneSharing.recordName, .save(save))
        #expect(try owner.modify([change], in: "notes")[0].code == .invalidArguments)
    }

    @Test("What cannot be shared is refused with the reason")
    func refusals() throws {
        let owner = try fixture.database(1)
        try fixture.publish(2)
        #expect(
            try owner.share(with: [:], in: ZoneIdentifier.defaultName).code == .invalidArguments)
        #expect(try owner.share(with: [1: .readOnly]).code == .invalidArguments)
        let everybody = try fixture.core.database(.public, owner.session)
        let inPublic = try everybody.share(with: [:], in: ZoneIdentifier.defaultName)
        #expect(inPublic.code == .invalidArguments)
        let single = try owner.save("share-of-one", type: SystemType.share)
        #expect(single.code == .invalidArguments)
        #expect(try owner.save(ZoneSharing.recordName).code == .invalidArguments)
        // Only the change that names the unknown account fails.
        let wanted = [try CoreFixture.identifier(7): SharePermission.readOnly]
        let results = try owner.modify(
            [
                RecordChange("a", .save(RecordChange.Save("Note", .none, fields: [:]))),
                RecordChange(
                    ZoneSharing.recordName,
                    .save(
                        RecordChange.Save(
                            SystemType.share, .none, fields: [:], participants: wanted))),
            ], in: CoreFixture.zone)
        #expect(results.map(\.code) == [nil, .participantUnknown])
        #expect(try fixture.head().1.share == nil)
    }

    @Test("A zone is shared with so many, and no more")
    func participantLimit() throws {
        var limits = RecordLimits()
        #expect(limits.participantCount == 100)
        limits.participantCount = 2
        let fixture = try CoreFixture(limits: limits)
        let owner = try fixture.database(1)
        try fixture.publish(2, 3, 4)
        let all: [UInt8: SharePermission] = [2: .readOnly, 3: .readOnly, 4: .readOnly]
        #expect(try owner.share(with: all).code == .tooManyParticipants)
        #expect(try owner.share(with: [2: .readOnly, 3: .readOnly]).code == nil)
    }

    @Test("A token names one share, and opens nothing by itself")
    func tokens() throws {
        let (owner, token) = try fixture.shared(with: [2: .readOnly])
        let core = fixture.core
        let second = Session.account(try fixture.account(2))
        let third = Session.account(try fixture.account(3))
        #expect(try core.shares.invitation(token, second).record.type == SystemType.share)
        #expect(try core.shares.invitation(token, owner.session).permission == nil)
        #expect(try refused { try core.shares.invitation(token, third) }?.code == .unknownItem)
        #expect(try refused { try core.shares.accept(token, third) }?.code == .unknownItem)
        #expect(
            try refused { try core.shares.accept(token, owner.session) }?.code == .invalidArguments)
        #expect(try refused { try core.shares.accept(token, .nobody) }?.code == .notAuthenticated)
        for index in token.indices {
            let digit: Character = token[index] == "0" ? "1" : "0"
            let changed = token[..<index] + [digit] + token[index...].dropFirst()
            #expect(
                try refused { try core.shares.invitation(String(changed), second) }?.code
                    == .unknownItem)
        }
        #expect(try refused { try core.shares.invitation("", second) }?.code == .unknownItem)
        // Accepting twice is the same as accepting once.
        try fixture.accept(token, 2)
        try fixture.accept(token, 2)
        #expect(try fixture.view(2).zones().count == 1)
    }

    @Test("Queries, changes and files work in the shared database")
    func everythingElse() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        let upload = try other.beginUpload()
        try upload.append([UInt8](repeating: 7, count: 100_000))
        let file = try upload.finish()
        _ = try other.save("a", ["n": .plain(.int64(1)), "file": .plain(.asset(file))])
        let query = RecordQuery("Note", filters: [.init("n", .equals, [.int64(1)])])
        #expect(try other.query(query, in: "notes").records.map(\.identifier.name) == ["a"])
        guard case .asset(let held) = try owner.record("a").value(of: "file") else {
            Issue.record("there is no file")
            return
        }
        var bytes: [UInt8] = []
        try owner.asset(held).read { bytes += $0 }
        #expect(bytes == [UInt8](repeating: 7, count: 100_000))
        let page = try other.changes(in: "notes")
        #expect(Set(page.changed.map(\.name)) == ["a", ZoneSharing.recordName])
        #expect(try owner.changes(in: "notes", since: page.token).changed.isEmpty)
    }

    @Test("A follower of the shared database hears of its zones")
    func databaseChanges() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let root = try fixture.core.database(.shared, .account(fixture.account(2)))
        let before = try root.databaseChanges()
        #expect(before.changed.isEmpty)
        try fixture.accept(token, 2)
        let zone = ZoneIdentifier("notes", owner: owner.database.owner)
        let joined = try root.databaseChanges(since: before.token)
        #expect(joined.changed == [zone])
        #expect(try root.databaseChanges(since: joined.token).changed.isEmpty)
        _ = try owner.save("a")
        let written = try root.databaseChanges(since: joined.token)
        #expect(written.changed == [zone])
        _ = try owner.share(with: [:])
        let gone = try root.databaseChanges(since: written.token)
        #expect(gone.gone.map(\.zone) == [zone] && gone.gone.map(\.reason) == [.deleted])
        // A token of one database is not valid in another.
        let own = try fixture.core.database(.private, root.session)
        #expect(
            try refused { try own.databaseChanges(since: gone.token) }?.code == .invalidArguments)
    }

    @Test("A client that waits for changes learns of those in shared zones")
    func waiting() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let account = try CoreFixture.identifier(2)
        var marks = [try fixture.core.changeMark(of: account)]
        try fixture.accept(token, 2)
        marks.append(try fixture.core.changeMark(of: account))
        _ = try owner.save("a")
        marks.append(try fixture.core.changeMark(of: account))
        _ = try owner.share(with: [:])
        marks.append(try fixture.core.changeMark(of: account))
        #expect(Set(marks).count == 4)
        #expect(try fixture.core.changeMark(of: account) == marks[3])
    }

    @Test("Deleting the zone, or the share, ends it for all")
    func endings() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let other = try fixture.accept(token, 2)
        #expect(try owner.delete(ZoneSharing.recordName).code == nil)
        #expect(try refused { try other.records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try fixture.head().1.share == nil && fixture.head().0.epoch == 2)
        #expect(try owner.save("b").record.share == nil)
        let next = try owner.share(with: [2: .readWrite]).record
        try fixture.accept(fixture.token(of: next), 2)
        #expect(try other.has("b"))
        try owner.deleteZone("notes")
        #expect(try refused { try other.records([], in: "notes") }?.code == .zoneNotFound)
        try owner.createZone("notes")
        #expect(try refused { try other.records([], in: "notes") }?.code == .zoneNotFound)
        #expect(
            try refused { try fixture.core.shares.accept(token, other.session) }?.code
                == .unknownItem)
        #expect(try other.zones().isEmpty)
    }

    @Test("A share whose record was not made, or not deleted, is mended by asking again")
    func interrupted() throws {
        let (owner, _) = try fixture.shared(with: [2: .readWrite])
        // The process ends after the head has lost the share.
        try fixture.forge { $0.share = nil }
        #expect(try owner.has(ZoneSharing.recordName))
        #expect(try owner.delete(ZoneSharing.recordName).code == nil)
        #expect(try !owner.has(ZoneSharing.recordName))
        // The process ends before the record is made.
        try fixture.forge { $0.share = ZoneShare() }
        #expect(try owner.delete(ZoneSharing.recordName).code == nil)
        #expect(try fixture.head().1.share == nil)
        try fixture.forge { $0.share = ZoneShare() }
        #expect(try owner.share(with: [2: .readOnly], .isNew).code == nil)
    }
}
