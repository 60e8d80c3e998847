import Bulla
import BullaRecords
import BullaTestSupport
import Testing

/// Data that a backend puts in a wrong place is refused there, and nothing else is affected.
@Suite("Forged shares")
struct ShareForgeryTests {
    private let fixture: CoreFixture
    private let owner: DatabaseView
    private let rows: RecordRows

    init() throws {
        fixture = try CoreFixture()
        let (owner, token) = try fixture.shared(with: [2: .readWrite, 3: .readWrite])
        self.owner = owner
        rows = RecordRows(fixture.store)
        try fixture.accept(token, 2)
        try fixture.accept(token, 3)
        _ = try owner.save("a", ["s": .sealed(.int64(1))])
    }

    /// The error on reading a record; `nil` if it opens.
    private func failure(_ number: UInt8, _ name: String = "a") throws -> RecordError.Code? {
        let view = number == 1 ? try fixture.database(1) : try fixture.view(number)
        do throws(RecordError) {
            _ = try view.records([name], in: CoreFixture.zone)[0].get()
            return nil
        } catch { return error.code }
    }

    private func wraps(_ number: UInt8, in zone: String = "notes") throws -> [UInt32: [UInt8]] {
        let account = try CoreFixture.identifier(number)
        return try #require(try fixture.head(zone).1.share?.participants[account]?.wraps)
    }

    /// Checks that, while the wraps of account 2 are replaced by these, account 2 cannot read and
    /// the others can.
    private func check(_ wraps: [UInt32: [UInt8]], _ name: String = "a") throws {
        let account = try CoreFixture.identifier(2)
        let former = try self.wraps(2)
        #expect(try failure(2, name) == nil)
        try fixture.forge { $0.share?.participants[account]?.wraps = wraps }
        #expect(try failure(2, name) == .damaged)
        #expect(try failure(3, name) == nil && failure(1, name) == nil)
        try fixture.forge { $0.share?.participants[account]?.wraps = former }
        #expect(try failure(2, name) == nil)
    }

    @Test("A wrap in another's place is refused: of a participant, a zone, an epoch, an account")
    func movedWraps() throws {
        try check(wraps(3))
        try check([:])
        try fixture.owner().createZone("other")
        _ = try owner.share(with: [2: .readWrite], in: "other").record
        try check(wraps(2, in: "other"))
        // A wrap of another epoch.
        try fixture.publish(4)
        _ = try owner.share(with: [2: .readWrite, 3: .readWrite, 4: .readOnly]).record
        _ = try owner.share(with: [2: .readWrite, 3: .readWrite]).record
        _ = try owner.save("b", ["s": .sealed(.int64(2))])
        let both = try wraps(2)
        #expect(Set(both.keys) == [1, 2])
        try check([1: #require(both[2]), 2: #require(both[1])])
        try check([1: #require(both[1]), 2: #require(both[1])], "b")
    }

    @Test("A zone key made by an outsider is refused, whatever its claimed origin")
    func plantedKey() throws {
        let (head, _) = try fixture.head()
        let scope = SealScope(head.database, zone: head.incarnation, epoch: 1)
        let planted = try ZoneKey.random(scope)
        let (victim, forger) = (try fixture.account(2), try fixture.account(3))
        let wrap = try ParticipantWrap(scope, for: victim.account, epoch: 1)
            .seal(planted, for: victim.publicKeys, by: forger)
        try check([1: wrap])
        // The same with the forger's public keys in the owner's place.
        let stolen = try document("keys of", 3)
        let own = try document("keys of", 1)
        try put(stolen, "keys of", 1)
        try check([1: wrap], owner: own)
    }

    private func check(_ wraps: [UInt32: [UInt8]], owner entry: [UInt8]) throws {
        let account = try CoreFixture.identifier(2)
        try fixture.forge { $0.share?.participants[account]?.wraps = wraps }
        #expect(try failure(2) == .damaged && failure(1) == nil)
    }

    private func name(_ document: String, _ number: UInt8) throws -> String {
        "\(document) \(try CoreFixture.identifier(number).identifier.text)"
    }

    private func document(_ document: String, _ number: UInt8) throws -> [UInt8] {
        try #require(try fixture.backend.document(name(document, number), of: fixture.place)).bytes
    }

    private func put(_ bytes: [UInt8], _ document: String, _ number: UInt8) throws {
        let name = try name(document, number)
        let version = try fixture.backend.document(name, of: fixture.place)?.version ?? 0
        #expect(
            try fixture.backend.replace(
                name, of: fixture.place, version: version, with: bytes))
    }

    @Test("A participant's public keys that were replaced keep it out, and nobody else")
    func replacedPublicKeys() throws {
        try fixture.publish(4, 5)
        let stolen = try document("keys of", 5)
        try put(stolen, "keys of", 4)
        let all: [UInt8: SharePermission] = [2: .readWrite, 3: .readWrite]
        let added = try owner.share(with: all.merging([4: .readOnly]) { $1 })
        #expect(added.code == .damaged)
        #expect(try owner.share(with: all.merging([5: .readOnly]) { $1 }).code == nil)
        #expect(try failure(2) == nil && failure(3) == nil)
        // The account's next session publishes the right keys again.
        try fixture.publish(4)
        #expect(try owner.share(with: all.merging([4: .readOnly]) { $1 }).code == nil)
        // Replaced public keys keep a participant from what is written later, but not from what it
        // already has.
        try put(stolen, "keys of", 2)
        #expect(try owner.share(with: [2: .readWrite, 3: .readWrite]).code == nil)
        _ = try owner.save("b", ["s": .sealed(.int64(2))])
        #expect(try failure(2) == nil && failure(2, "b") == .damaged)
        #expect(try failure(3) == nil && failure(3, "b") == nil)
        try fixture.publish(2)
        #expect(try owner.share(with: [2: .readWrite, 3: .readWrite]).code == nil)
        #expect(try failure(2, "b") == nil)
    }

    @Test("Every bit of an account's public keys counts")
    func changedPublicKeys() throws {
        try fixture.publish(4)
        let entry = try document("keys of", 4)
        for index in entry.indices {
            var changed = entry
            changed[index] ^= 0x10
            try put(changed, "keys of", 4)
            #expect(try owner.share(with: [4: .readOnly]).code == .damaged)
        }
        #expect(try failure(2) == nil)
    }

    @Test("The owner's public keys that were replaced keep participants out")
    func replacedOwner() throws {
        try put(document("keys of", 3), "keys of", 1)
        #expect(try failure(2) == .damaged && failure(3) == .damaged)
        // The owner's next session publishes the right keys again, and nothing is lost in the
        // meantime.
        #expect(try failure(1) == nil)
        try fixture.core.directory.publish(fixture.account(1))
        #expect(try failure(2) == nil && failure(3) == nil)
    }

    @Test("A list of shared zones that was replaced is refused; the zones are not")
    func replacedList() throws {
        try put(document("zones shared with", 3), "zones shared with", 2)
        #expect(try refused { try fixture.view(2).zones() }?.code == .damaged)
        #expect(try failure(2) == nil && fixture.view(3).zones().count == 1)
    }

    @Test("Nothing is sealed under a key that was replaced, whatever epoch a backend tells")
    func formerEpoch() throws {
        _ = try owner.share(with: [3: .readWrite]).record
        let (head, _) = try fixture.head()
        #expect(head.epoch == 2)
        for epoch: UInt32 in [1, 3] {
            var changed = head
            changed.epoch = epoch
            try rows.put(changed)
            for view in [owner, try fixture.view(3)] {
                #expect(try refused { try view.save("b") }?.code == .damaged)
            }
            try rows.put(head)
        }
        #expect(try owner.save("b").record.opened.record.epoch == 2)
    }

    @Test("A head that was changed is refused")
    func changedHead() throws {
        let (head, _) = try fixture.head()
        var changed = head
        changed.keys[changed.keys.count / 2] ^= 1
        try rows.put(changed)
        #expect(try failure(2) == nil || failure(2) == .damaged)
        for number: UInt8 in [1, 2, 3] {
            let view = number == 1 ? try fixture.database(1) : try fixture.view(number)
            #expect(try refused { try view.records(["a"], in: "notes") }?.code == .damaged)
        }
    }
}

extension CoreFixture {
    fileprivate func owner() throws -> DatabaseView { try database(1) }
}
