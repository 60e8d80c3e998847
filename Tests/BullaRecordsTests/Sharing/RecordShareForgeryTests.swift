import Bulla
import BullaCipher
import BullaRecords
import BullaTestSupport
import Testing

/// Attacks by a backend, by a removed participant, and by a participant with the backend's help.
@Suite("Forged shares of records")
struct RecordShareForgeryTests {
    private let fixture: CoreFixture
    private let owner: DatabaseView
    private let other: DatabaseView
    private let rows: RecordRows
    private let token: String
    private let all = ["top", "root", "a", "b", "other", "c", "share"]

    init() throws {
        fixture = try CoreFixture()
        (owner, token) = try fixture.sharedBranch(with: [2: .readWrite, 3: .readOnly])
        other = try fixture.accept(token, 2)
        _ = try fixture.accept(token, 3)
        rows = RecordRows(fixture.store)
    }

    private var database: Database { owner.database }

    private func share(_ name: String = "share") throws -> (RandomIdentifier, RecordShare) {
        let found = try fixture.head().1.shares.first { $0.value.name == name }
        let (identifier, share) = try #require(found)
        return (identifier, share)
    }

    /// The keys that an account has for a share, by epoch.
    private func keptKeys(_ number: UInt8, _ name: String = "share") throws -> [UInt32: ZoneKey] {
        let (head, _) = try fixture.head()
        let (identifier, share) = try share(name)
        let keys = try fixture.account(number)
        let signer = try fixture.account(1).publicKeys
        var kept: [UInt32: ZoneKey] = [:]
        for (epoch, wrap) in share.members.participants[keys.account]?.wraps ?? [:] {
            let scope = SealScope(
                head.database, zone: head.incarnation, share: identifier, epoch: epoch)
            kept[epoch] = try ParticipantWrap(scope, for: keys.account, epoch: keys.epoch)
                .open(wrap, by: keys, from: signer)
        }
        return kept
    }

    private func sealer(_ key: ZoneKey) throws -> RecordSealer {
        RecordSealer(key, fixture.container, try ItemCipher())
    }

    private func opens(_ name: String, with key: ZoneKey) throws -> Bool {
        let record = try #require(try SealedRecord(rows.sealed(name, "notes", database)))
        let sealer = try sealer(key)
        do throws(RecordError) {
            _ = try sealer.open(record, name: name).encryptedValue("s")
            return true
        } catch {
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    private func failure(_ view: DatabaseView, _ name: String) throws -> RecordError.Code? {
        do throws(RecordError) {
            _ = try view.records([name], in: "notes")[0].get()
            return nil
        } catch { return error.code }
    }

    @Test("The keys of a participant open the records of the share, and nothing else of the zone")
    func reach() throws {
        let keys = try keptKeys(2)
        #expect(Set(keys.keys) == [2])
        let key = try #require(keys[2])
        for name in all {
            let isShared = ["root", "a", "b", "share"].contains(name)
            #expect(try opens(name, with: key) == isShared, "\(name)")
        }
        // None of the zone's own keys in the head opens under the share's key, or under the
        // account's own keys.
        let (head, keyring) = try fixture.head()
        for (epoch, wrap) in keyring.wraps {
            let scope = SealScope(head.database, zone: head.incarnation, epoch: epoch)
            let error = try refused {
                try ParticipantWrap(scope, for: fixture.account(2).account, epoch: 1)
                    .open(wrap, by: fixture.account(2), from: fixture.account(1).publicKeys)
            }
            #expect(error?.code == .damaged)
        }
    }

    @Test("What a removed participant has kept opens nothing that is written after")
    func removal() throws {
        let kept = try #require(try keptKeys(2)[2])
        let since = try owner.changes(in: "notes").token
        #expect(try owner.share("share", of: nil, with: [3: .readWrite]).code == nil)
        let third = try fixture.view(3)
        #expect(try refused { try other.records(["a"], in: "notes") }?.code == .zoneNotFound)
        #expect(try refused { try other.put("a", "x") }?.code == .zoneNotFound)
        let (head, _) = try fixture.head()
        #expect(try head.epoch == 3 && Set(share().1.wraps.keys) == [2, 3])
        // The removal has sealed the share's record under the new key; each other record is sealed
        // under it when it is next written.
        #expect(try !opens("share", with: kept) && opens("a", with: kept) && opens("b", with: kept))
        #expect(try third.put("a", "new").code == nil)
        #expect(try owner.put("new", "n", below: "b").code == nil)
        #expect(try !opens("a", with: kept) && !opens("new", with: kept))
        // Saving "a" and "new" has also written their parents, "root" and "b".
        #expect(try !opens("b", with: kept) && opens("root", with: kept) == false)
        #expect(try third.record("b").value(of: "s") == .string("v-b"))
        #expect(try owner.record("a").value(of: "s") == .string("new"))
        let told = try owner.changes(in: "notes", since: since).changed.map(\.name)
        #expect(Set(told) == ["share", "a", "root", "new", "b"])
        #expect(try owner.verify("notes").fault(in: "notes") == nil)
    }

    @Test("A participant who leaves has the key; the owner's next change replaces it")
    func leaving() throws {
        try other.deleteZone("notes")
        #expect(try refused { try other.records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try other.zones().isEmpty)
        #expect(try share().1.isEpochDue && fixture.head().0.epoch == 2)
        _ = try owner.put("b", "next").record
        #expect(try !share().1.isEpochDue && fixture.head().0.epoch == 3)
        #expect(try owner.record("share").sharing?.participants.count == 1)
        #expect(try fixture.view(3).record("b").value(of: "s") == .string("next"))
        let record = try #require(try SealedRecord(rows.sealed("b", "notes", database)))
        #expect(record.epoch == 3)
    }

    @Test("A wrap in another's place is refused: of a participant, a share, an epoch")
    func movedWraps() throws {
        _ = try owner.share("second", of: "other", with: [2: .readWrite, 3: .readWrite]).record
        let (identifier, first) = try share()
        let second = try share("second").1
        let account = try CoreFixture.identifier(2)
        let own = try #require(first.members.participants[account]?.wraps)
        let third = try #require(
            first.members.participants[CoreFixture.identifier(3)]?.wraps)
        let foreign = try #require(second.members.participants[account]?.wraps.first?.value)
        let turned: [UInt32: [UInt8]] = [2: try #require(own[2]).reversed()]
        for wraps in [third, [:], [2: foreign], turned] {
            try fixture.forge {
                $0.shares[identifier]?.members.participants[account]?.wraps = wraps
            }
            #expect(try failure(other, "a") == .damaged)
            #expect(try failure(fixture.view(3), "a") == nil && failure(owner, "a") == nil)
        }
        try fixture.forge { $0.shares[identifier]?.members.participants[account]?.wraps = own }
        #expect(try failure(other, "a") == nil)
        // The owner's own wraps are bound to their share, too.
        try fixture.forge { $0.shares[identifier]?.wraps = second.wraps }
        #expect(try failure(fixture.database(1), "top") == nil)
        let fresh = try CoreFixture(sharing: fixture)
        #expect(try failure(fresh.database(1), "a") == .damaged)
        try fixture.forge { $0.shares[identifier]?.wraps = first.wraps }
        #expect(try failure(fresh.database(1), "a") == nil)
    }

    @Test("A record opens in no other share, whatever its head says, nor outside of one")
    func movedRecords() throws {
        _ = try owner.share("second", of: "other", with: [2: .readOnly]).record
        _ = try fixture.accept(fixture.token(of: owner.record("second")), 2)
        #expect(try other.readable(all).count == 6)
        let second = try share("second").0
        let first = try share().0
        // A record begins with flags, life and epoch. The share comes next, before the wrapped key
        // and all that follows.
        func relabeled(_ name: String, _ from: RandomIdentifier, _ to: RandomIdentifier) throws
            -> [UInt8]
        {
            var bytes = try rows.sealed(name, "notes", database)
            let start = try #require(
                (0..<bytes.count - 16).first { Array(bytes[$0..<$0 + 16]) == from.bytes })
            bytes.replaceSubrange(start..<start + 16, with: to.bytes)
            return bytes
        }
        for (name, from, to) in [("a", first, second), ("c", second, first)] {
            let stored = try rows.sealed(name, "notes", database)
            try rows.put(sealed: relabeled(name, from, to), name, "notes", database)
            #expect(try failure(other, name) == .damaged && failure(owner, name) == .damaged)
            try rows.put(sealed: stored, name, "notes", database)
            #expect(try failure(other, name) == nil && failure(owner, name) == nil)
        }
        // One record's bytes under another's name.
        try rows.put(sealed: rows.sealed("a", "notes", database), "b", "notes", database)
        #expect(try failure(other, "b") == .damaged && failure(owner, "b") == .damaged)
    }

    @Test("A record that is not shared is not shown, though a backend says that it is")
    func relabeledPrivateRecord() throws {
        // Flag the record as shared, and insert the share's identifier where it belongs.
        let bytes = try rows.sealed("c", "notes", database)
        let record = try #require(SealedRecord(bytes))
        #expect(record.share == nil)
        var forged = bytes
        forged[1] |= 2
        let parent = Array("other".utf8)
        let place = try #require(
            (0..<bytes.count - parent.count).last {
                Array(bytes[$0..<$0 + parent.count]) == parent
            })
        // After the parent's name come its zone and owner; the share follows them.
        let zone = Array("notes".utf8)
        let end = try #require(
            (place..<bytes.count - zone.count).first {
                Array(bytes[$0..<$0 + zone.count]) == zone
            })
        let own = try share().0
        var isTried = false
        for offset in 0..<40 {
            var tried = forged
            tried.insert(contentsOf: own.bytes, at: end + zone.count + offset)
            guard let parsed = SealedRecord(tried), parsed.share != nil else { continue }
            isTried = isTried || parsed.share == own
            try rows.put(sealed: tried, "c", "notes", database)
            #expect(try failure(other, "c") != nil)
        }
        #expect(isTried)
    }

    @Test("A participant that the backend helps can plant a record; a verification finds it")
    func plantedRecord() throws {
        let key = try #require(try keptKeys(2)[2])
        let stamp = RecordStamps.Stamp(time: 1_700_000_000_000, account: nil)
        let former = try #require(SealedRecord(rows.sealed("c", "notes", database)))
        var draft = RecordDraft(
            "c", type: "Note", fields: ["s": .encrypted(.string("planted"))],
            stamps: RecordStamps(created: stamp, modified: stamp), tag: former.tag,
            incarnation: try .new(), schemaVersion: 0)
        draft.parent = owner.identifier("root")
        let planted = try sealer(key).seal(draft)
        try rows.put(sealed: planted.record.bytes, "c", "notes", database)
        // It opens, as the documents say.
        #expect(try owner.record("c").value(of: "s") == .string("planted"))
        #expect(try owner.verify("notes").fault(in: "notes")?.code == .damaged)
        // The participant can plant records only under the share's keys: what the owner does not
        // share with it is out of its reach.
        draft.fields = ["s": .encrypted(.string("planted"))]
        let zone = SealScope(database, zone: try fixture.head().0.incarnation, epoch: 2)
        let outside = try sealer(ZoneKey.random(zone)).seal(draft)
        try rows.put(sealed: outside.record.bytes, "c", "notes", database)
        #expect(try failure(owner, "c") == .damaged)
    }

    @Test("A record put back from before it left shows what it was; a verification finds it")
    func recordFromBefore() throws {
        let former = try rows.sealed("a", "notes", database)
        _ = try owner.move("a", below: nil).record
        _ = try owner.put("a", "secret").record
        #expect(try failure(other, "a") == .unknownItem)
        try rows.put(sealed: former, "a", "notes", database)
        #expect(try other.record("a").value(of: "s") == .string("v-a"))
        #expect(try owner.verify("notes").fault(in: "notes")?.code == .damaged)
    }

    @Test("A damaged record that its owner replaces leaves the share, with those below it")
    func replacedRecord() throws {
        var follower = try Follower(other)
        var bytes = try rows.sealed("a", "notes", database)
        bytes[bytes.count - 1] ^= 1
        try rows.put(sealed: bytes, "a", "notes", database)
        #expect(try failure(owner, "a") == .damaged)
        let new = ["s": RecordChange.FieldChange.sealed(.string("new"))]
        #expect(try owner.save("a", new, isReplacing: true).code == nil)
        #expect(try other.readable(all) == ["root", "share"])
        try follower.follow(limit: 1)
        #expect(follower.names == ["root", "share"] && follower.deleted == ["a", "b"])
        #expect(try owner.record("b").value(of: "s") == .string("v-b"))
        #expect(try owner.record("b").opened.record.share == nil)
    }

    @Test("A head from before a removal is refused, with the participants of that time")
    func formerHead() throws {
        let (former, _) = try fixture.head()
        #expect(try owner.share("share", of: nil, with: [3: .readWrite]).code == nil)
        let (head, _) = try fixture.head()
        var mixed = head
        mixed.keys = former.keys
        try rows.put(mixed)
        #expect(try refused { try other.records(["a"], in: "notes") }?.code == .damaged)
        mixed.epoch = former.epoch
        try rows.put(mixed)
        #expect(try refused { try other.records(["a"], in: "notes") }?.code == .damaged)
        // Even if the whole head is a former one, a follower that has read the zone under the newer
        // head refuses it.
        try rows.put(head)
        let follower = try fixture.view(3)
        let token = try follower.changes(in: "notes").token
        try rows.put(former)
        let error = try refused { try follower.changes(in: "notes", since: token) }
        #expect(error?.code == .zoneRolledBack)
    }

    @Test("A reset of keys ends an account's part, and an owner's reset all shares")
    func resets() throws {
        try fixture.core.zoneKeys.leaveShares(of: CoreFixture.identifier(2))
        #expect(try refused { try other.records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try share().1.isEpochDue)
        try fixture.core.zoneKeys.forget(of: CoreFixture.identifier(1))
        #expect(try refused { try fixture.view(3).records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try refused { try owner.records([], in: "notes") }?.code == .encryptedDataReset)
    }

    @Test("A token names the shares that its follower sees")
    func tokens() throws {
        let page = try other.changes(in: "notes")
        #expect(
            try refused { try owner.changes(in: "notes", since: page.token) }?.code
                == .changeTokenExpired)
        let whole = try owner.changes(in: "notes").token
        #expect(
            try refused { try other.changes(in: "notes", since: whole) }?.code
                == .changeTokenExpired)
        let base = try fixture.core.database(.shared, .account(fixture.account(2)))
        let start = try base.databaseChanges()
        #expect(start.changed.map(\.name) == ["notes"])
        let second = try owner.share("second", of: "other", with: [2: .readOnly]).record
        _ = try fixture.accept(fixture.token(of: second), 2)
        #expect(
            try refused { try other.changes(in: "notes", since: page.token) }?.code
                == .changeTokenExpired)
        let gained = try base.databaseChanges(since: start.token)
        #expect(gained.changed.map(\.name) == ["notes"] && gained.gone.isEmpty)
        #expect(try owner.share("second", of: nil, with: [:]).code == nil)
        let lost = try base.databaseChanges(since: gained.token)
        #expect(lost.changed.map(\.name) == ["notes"] && lost.gone.map(\.zone.name) == ["notes"])
        #expect(try other.changes(in: "notes", since: page.token).deleted.isEmpty)
    }
}
