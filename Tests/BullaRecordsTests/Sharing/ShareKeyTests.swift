import Bulla
import BullaCipher
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("Keys of shared zones")
struct ShareKeyTests {
    private let fixture: CoreFixture

    init() throws { fixture = try CoreFixture() }

    /// The zone's keys that an account has kept, by epoch.
    private func keptKeys(_ number: UInt8) throws -> [UInt32: ZoneKey] {
        let (head, keyring) = try fixture.head()
        let keys = try fixture.account(number)
        let owner = try fixture.account(1).publicKeys
        var kept: [UInt32: ZoneKey] = [:]
        for (epoch, wrap) in keyring.share?.participants[keys.account]?.wraps ?? [:] {
            let scope = SealScope(head.database, zone: head.incarnation, epoch: epoch)
            kept[epoch] = try ParticipantWrap(scope, for: keys.account, epoch: keys.epoch)
                .open(wrap, by: keys, from: owner)
        }
        return kept
    }

    private func opens(_ name: String, with key: ZoneKey) throws -> Bool {
        let (head, _) = try fixture.head()
        let stored = try fixture.backend.records([name], in: ZoneLife(head))
        let bytes = try #require(stored[0]?.bytes)
        let record = try #require(SealedRecord(bytes))
        let sealer = RecordSealer(key, fixture.container, try ItemCipher())
        do throws(RecordError) {
            let opened = try sealer.open(record, name: name)
            return try opened.encryptedValue("s") != nil
        } catch {
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    @Test("What a removed participant has kept opens nothing that is written after")
    func removal() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite, 3: .readWrite])
        let second = try fixture.accept(token, 2)
        let third = try fixture.accept(token, 3)
        for name in ["left", "rewritten"] {
            _ = try owner.save(name, ["s": .sealed(.string("v")), "t": .sealed(.string("w"))])
        }
        let kept = try #require(try keptKeys(2)[1])
        #expect(try opens("left", with: kept) && opens("rewritten", with: kept))
        let before = try #require(try SealedRecord(storedBytes("rewritten")))

        _ = try owner.share(with: [3: .readWrite]).record
        #expect(try refused { try second.records(["left"], in: "notes") }?.code == .zoneNotFound)
        #expect(
            try refused { try second.modify([RecordChange("left", .delete(.none))], in: "notes") }?
                .code == .zoneNotFound)
        let (head, keyring) = try fixture.head()
        #expect(head.epoch == 2 && Set(keyring.wraps.keys) == [1, 2])
        let account = try CoreFixture.identifier(2)
        #expect(keyring.share?.participants[account] == nil)

        // Others can still read, and the next write of a record seals all of it under the new key.
        #expect(try third.record("left").value(of: "s") == .string("v"))
        _ = try third.save("rewritten", ["s": .sealed(.string("new"))])
        _ = try owner.save("new", ["s": .sealed(.string("n"))])
        #expect(try owner.record("rewritten").value(of: "t") == .string("w"))
        #expect(try !opens("rewritten", with: kept) && !opens("new", with: kept))
        #expect(try opens("left", with: kept))
        let after = try #require(try SealedRecord(storedBytes("rewritten")))
        #expect(before.epoch == 1 && after.epoch == 2)
        for field in ["s", "t"] {
            let (old, new) = (before.blobRange(of: field), after.blobRange(of: field))
            #expect(before.bytes[try #require(old)] != after.bytes[try #require(new)])
        }
        // No wrap in the head opens under the removed account's keys.
        let former = try fixture.account(2)
        let scope = SealScope(head.database, zone: head.incarnation, epoch: 2)
        let signer = try fixture.account(1).publicKeys
        for (other, participant) in keyring.share?.participants ?? [:] {
            for wrap in participant.wraps.values {
                for name in [other, account] {
                    let form = ParticipantWrap(scope, for: name, epoch: 1)
                    let error = try refused { try form.open(wrap, by: former, from: signer) }
                    #expect(error?.code == .damaged)
                }
            }
        }
    }

    private func storedBytes(_ name: String) throws -> [UInt8] {
        let (head, _) = try fixture.head()
        return try #require(try fixture.backend.records([name], in: ZoneLife(head))[0]?.bytes)
    }

    @Test("A participant added later reads what was written in all epochs")
    func epochs() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        try fixture.accept(token, 2)
        _ = try owner.save("first", ["s": .sealed(.int64(1))])
        _ = try owner.share(with: [:])
        _ = try owner.save("second", ["s": .sealed(.int64(2))])
        try fixture.publish(3)
        _ = try owner.share(with: [3: .readOnly])
        let third = try fixture.accept(token, 3)
        #expect(try third.record("first").value(of: "s") == .int64(1))
        #expect(try third.record("second").value(of: "s") == .int64(2))
        #expect(try Set(keptKeys(3).keys) == [1, 2])
    }

    @Test("A participant that leaves has the key; the owner's next change replaces it")
    func leaving() throws {
        let (owner, token) = try fixture.shared(with: [2: .readOnly, 3: .readWrite])
        let second = try fixture.accept(token, 2)
        let third = try fixture.accept(token, 3)
        let since = try owner.changes(in: "notes").token
        try second.deleteZone("notes")
        #expect(try refused { try second.deleteZone("notes") }?.code == .zoneNotFound)
        #expect(try second.zones().isEmpty && third.zones().count == 1)
        #expect(
            try owner.changes(in: "notes", since: since).changed.map(\.name)
                == [ZoneSharing.recordName])
        #expect(try fixture.head().0.epoch == 1 && fixture.head().1.isEpochDue)
        _ = try third.save("a")
        #expect(try fixture.head().0.epoch == 1)
        _ = try owner.save("b")
        #expect(try fixture.head().0.epoch == 2 && !fixture.head().1.isEpochDue)
        #expect(try third.has("a") && third.has("b"))
        // As in CloudKit, deleting the share means leaving it.
        #expect(try third.delete(ZoneSharing.recordName).code == nil)
        #expect(try owner.has(ZoneSharing.recordName))
        #expect(try owner.record("a").sharing?.participants.isEmpty == true)
        // A user who was only named as a participant, and has not accepted, can decline.
        try fixture.publish(4)
        _ = try owner.share(with: [4: .readOnly])
        try fixture.view(4).deleteZone("notes")
        #expect(
            try refused { try fixture.core.shares.accept(token, .account(fixture.account(4))) }?
                .code
                == .unknownItem)
    }

    @Test("A participant whose keys were reset is out until it is added again")
    func participantReset() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        try fixture.accept(token, 2)
        _ = try owner.save("a", ["s": .sealed(.int64(1))])
        let later = try fixture.view(2, epoch: 2)
        #expect(try refused { try later.records(["a"], in: "notes") }?.code == .zoneNotFound)
        #expect(try later.zones().isEmpty)
        let session = Session.account(try fixture.account(2, epoch: 2))
        #expect(
            try refused { try fixture.core.shares.accept(token, session) }?.code == .unknownItem)
        _ = try owner.share(with: [2: .readWrite])
        #expect(try refused { try later.records(["a"], in: "notes") }?.code == .zoneNotFound)
        try fixture.accept(token, 2, epoch: 2)
        #expect(try later.record("a").value(of: "s") == .int64(1))
        // The former keys belong to a session that has ended.
        #expect(
            try refused { try fixture.view(2).records(["a"], in: "notes") }?.code == .zoneNotFound)
        // Publishing them does not bring them back into the directory.
        try fixture.publish(2)
        _ = try owner.share(with: [2: .readOnly])
        #expect(try later.has("a"))
    }

    @Test("The owner's reset ends the share")
    func ownerReset() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let second = try fixture.accept(token, 2)
        _ = try owner.save("a", ["s": .sealed(.int64(1))])
        let account = try CoreFixture.identifier(1)
        try fixture.core.zoneKeys.forget(of: account)
        #expect(try refused { try second.records(["a"], in: "notes") }?.code == .zoneNotFound)
        #expect(
            try refused { try second.modify([RecordChange("a", .delete(.none))], in: "notes") }?
                .code == .zoneNotFound)
        #expect(try second.zones().isEmpty && fixture.head().1.share == nil)
        #expect(
            try refused { try fixture.core.shares.accept(token, second.session) }?.code
                == .unknownItem)
    }

    @Test("An owner whose keys were reset shares nothing, also before its zones hear of it")
    func ownerResetEarly() throws {
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        try fixture.accept(token, 2)
        _ = try owner.save("a", ["s": .sealed(.int64(1))])
        try fixture.publish(1, epoch: 2)
        let second = try fixture.view(2)
        let error = try second.records(["a"], in: "notes")[0]
        #expect(throws: RecordError.self) { try error.get() }
    }

    @Test("A write under the former epoch fails at its commit, and is made again or refused")
    func overtaken() throws {
        let action = Mutex<(@Sendable () -> Void)?>(nil)
        let room = try BackendMaker.memory.make()
        let faulty = FaultyBackend(
            room,
            before: { call in
                guard call == .commit else { return }
                let body = action.withLock { action in
                    defer { action = nil }
                    return action
                }
                body?()
            }, plan: { _ in .none })
        let fixture = try CoreFixture(backend: faulty)
        let (owner, token) = try fixture.shared(with: [2: .readWrite, 3: .readWrite])
        let second = try fixture.accept(token, 2)
        try fixture.accept(token, 3)
        action.withLock { $0 = { _ = try? owner.share(with: [2: .readWrite]) } }
        let saved = try second.save("a", ["s": .sealed(.int64(1))]).record
        #expect(saved.opened.record.epoch == 2)
        action.withLock { $0 = { _ = try? owner.share(with: [:]) } }
        let error = try refused {
            try second.modify(
                [RecordChange("b", .save(RecordChange.Save("Note", .none, fields: [:])))],
                in: "notes")
        }
        #expect(error?.code == .zoneNotFound)
        #expect(try !owner.has("b"))
    }

    @Test("Two backends over one store see one share")
    func twoBackends() throws {
        let other = try CoreFixture(sharing: fixture)
        let (owner, token) = try fixture.shared(with: [2: .readWrite])
        let second = try other.accept(token, 2)
        let writers = [
            TestThread { for index in 0..<40 { _ = try second.save("s\(index)").record } },
            TestThread { for index in 0..<40 { _ = try owner.save("o\(index)").record } },
        ]
        try fixture.publish(3)
        for _ in 0..<10 {
            _ = try owner.share(with: [2: .readWrite, 3: .readOnly]).record
            _ = try owner.share(with: [2: .readWrite]).record
        }
        for writer in writers { try writer.join() }
        #expect(try fixture.head().0.epoch == 11)
        for view in [owner, second] {
            let page = try view.changes(in: "notes")
            #expect(page.changed.count == 81)
            for (_, record) in page.changed { _ = try record.get() }
        }
    }

    @Test("Every byte of a head's keys counts, for the keys and for the seal")
    func changedKeys() throws {
        let owner = try fixture.database(1)
        try fixture.publish(2)
        _ = try owner.share(with: [2: .readWrite]).record
        let (head, _) = try fixture.head()
        _ = try HeadSeal(of: head, fixture.container)
        for index in head.keys.indices {
            var forged = head
            forged.keys[index] ^= 1
            #expect(throws: RecordError.self) {
                try ZoneKeyring(
                    forged.keys, head.identifier, head.incarnation, fixture.container)
            }
            #expect(throws: RecordError.self) { try HeadSeal(of: forged, fixture.container) }
        }
    }
}
