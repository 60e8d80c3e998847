import Bulla
import BullaCipher
import BullaMemory
import BullaRecords
import BullaRecordsSupport
import BullaTestSupport
import Synchronization
import Testing

@Suite("An invitation that one account takes")
struct OneTimeURLTests {
    private let fixture: CoreFixture
    private let owner: DatabaseView
    private let invitation: RandomIdentifier
    private static let week: Int64 = 7 * 86_400_000

    init() throws {
        fixture = try CoreFixture()
        owner = try fixture.sharedBranch(with: [2: .readOnly]).owner
        invitation = try .new()
        try fixture.publish(3, 4)
    }

    private func session(_ number: UInt8) throws -> Session {
        try .account(fixture.account(number))
    }

    /// Saves a share with an invitation, and returns the token in its URL.
    private func invite(
        _ permission: SharePermission = .readWrite, to share: String = "share",
        expiry: Int64? = nil
    ) throws -> String? {
        let record = try save([invitation: .init(permission, expiry: expiry ?? end)], share).record
        return record.invitations[invitation]
    }

    private var end: Int64 { fixture.clock.next() + Self.week }

    private func save(
        _ invitations: [RandomIdentifier: RecordChange.InvitationWish], _ share: String = "share",
        with participants: [UInt8: SharePermission]? = nil
    ) throws -> ChangeResult {
        let wanted = try participants.map { try CoreFixture.wanted($0) }
        let save = RecordChange.Save(
            SystemType.share, .none, fields: [:], participants: wanted, invitations: invitations)
        return try owner.modify([RecordChange(share, .save(save))], in: "notes")[0]
    }

    private func members() throws -> ZoneShare {
        try #require(fixture.head().1.shares.first?.value.members)
    }

    private func refusal(_ token: String, _ number: UInt8) throws -> RecordError.Code? {
        try refused { try fixture.core.shares.accept(token, session(number)) }?.code
    }

    @Test("is taken by the first account that presents its token, and by no other")
    func claim() throws {
        let token = try #require(try invite())
        let shown = try fixture.core.shares.invitation(token, session(3), hasRoot: true)
        #expect(shown.acceptance == .pending && shown.permission == .readWrite)
        #expect(try shown.rootRecord?.value(of: "s") == .string("v-root"))
        #expect(try refused { try fixture.view(3).records([], in: "notes") }?.code == .zoneNotFound)
        let accepted = try fixture.core.shares.accept(token, session(3))
        #expect(accepted.permission == .readWrite && accepted.acceptance == .accepted)
        #expect(try refusal(token, 4) == .unknownItem)
        #expect(
            try refused { try fixture.core.shares.invitation(token, session(4)) }?.code
                == .unknownItem)
        #expect(try refusal(token, 3) == nil)
        #expect(try refusal(token, 1) == .invalidArguments)
        let third = try fixture.view(3)
        #expect(try third.record("b").value(of: "s") == .string("v-b"))
        #expect(try third.put("b", "mine").code == nil && third.zones().count == 1)
        #expect(try owner.record("b").value(of: "s") == .string("mine"))
        #expect(try members().invitations.isEmpty && members().participants.count == 2)
        #expect(try owner.record("share").invitations.isEmpty)
    }

    @Test("opens for its account in a process that starts later, and before and after new keys")
    func keys() throws {
        let token = try #require(try invite())
        _ = try fixture.core.shares.accept(token, session(3))
        let account = try CoreFixture.identifier(3)
        #expect(try members().participants[account]?.claim != nil)
        #expect(
            try CoreFixture(sharing: fixture).view(3).record("a").value(of: "s") == .string("v-a"))
        // The owner's next change of the share wraps the keys for the account itself.
        #expect(try save([:], with: [3: .readOnly]).code == nil)
        #expect(try members().participants[account]?.claim == nil)
        #expect(try fixture.head().0.epoch == 3)
        let later = try CoreFixture(sharing: fixture).view(3)
        #expect(try later.record("a").value(of: "s") == .string("v-a"))
        _ = try owner.put("a", "next").record
        #expect(try later.record("a").value(of: "s") == .string("next"))
        #expect(try refused { try later.put("a", "x") }?.code == .permissionFailure)
    }

    @Test("gets the keys of epochs that begin before it is taken")
    func laterEpochs() throws {
        let token = try #require(try invite())
        #expect(try owner.share("share", of: nil, with: [:]).code == nil)
        _ = try owner.put("a", "next").record
        #expect(try fixture.head().0.epoch == 3)
        _ = try fixture.core.shares.accept(token, session(3))
        let third = try fixture.view(3)
        #expect(try third.record("a").value(of: "s") == .string("next"))
        #expect(try third.record("b").value(of: "s") == .string("v-b"))
        // An account that has taken the invitation can leave; the token does not let it in again.
        #expect(try owner.move("c", below: "a").code == nil)
        try fixture.view(3).deleteZone("notes")
        #expect(try refused { try fixture.view(3).records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try refusal(token, 3) == .unknownItem)
    }

    @Test("ends with its time, and when its owner takes it back")
    func endings() throws {
        let token = try #require(try invite(expiry: fixture.clock.next() + 1_000))
        fixture.clock.pass(2_000)
        #expect(try refusal(token, 3) == .unknownItem)
        #expect(try fixture.head().0.epoch == 2)
        let next = try #require(try invite())
        #expect(next != token)
        // Anybody with the former URL has had the share's key, so the share now has another one.
        #expect(try fixture.head().0.epoch == 3)
        #expect(try refusal(token, 3) == .unknownItem)
        #expect(try save([:]).code == nil)
        #expect(try fixture.head().0.epoch == 4 && members().invitations.isEmpty)
        #expect(try refusal(next, 3) == .unknownItem)
        #expect(try invite(expiry: 5) == nil)
    }

    @Test("is taken by one of two accounts that present its token at the same time")
    func race() throws {
        let token = try #require(try invite())
        let (shares, faster, once) = (fixture.core.shares, try session(4), Once())
        let slow = FaultyBackend(
            SharedRoom(fixture.backend),
            before: { called in
                guard called == .rekey, once.take() else { return }
                _ = try? shares.accept(token, faster)
            }, plan: { _ in .none })
        let late = try CoreFixture(sharing: fixture, backend: slow)
        #expect(
            try refused { try late.core.shares.accept(token, session(3)) }?.code == .unknownItem)
        #expect(try fixture.view(4).record("a").value(of: "s") == .string("v-a"))
        #expect(try refused { try fixture.view(3).records([], in: "notes") }?.code == .zoneNotFound)
        #expect(try takePart() == [2, 4])
    }

    /// The accounts that take part in the share.
    private func takePart() throws -> Set<UInt8> {
        try Set(members().participants.keys.compactMap { $0.identifier.bytes.first })
    }

    @Test("is taken once, however many accounts present its token")
    func crowd() throws {
        let token = try #require(try invite())
        let errors = Mutex<[UInt8: RecordError.Code?]>([:])
        let threads = (3...10 as ClosedRange<UInt8>).map { number in
            TestThread { [fixture] in
                try fixture.publish(number)
                let core = try CoreFixture(sharing: fixture).core
                let session = try Session.account(fixture.account(number))
                let error = try refused { try core.shares.accept(token, session) }
                errors.withLock { _ = $0.updateValue(error?.code, forKey: number) }
            }
        }
        for thread in threads { try thread.join() }
        let taken = errors.withLock { errors in errors.filter { $0.value == nil }.map(\.key) }
        let refusals = errors.withLock { Set($0.values) }
        #expect(taken.count == 1 && refusals == [nil, .unknownItem])
        #expect(try takePart() == Set(taken + [2]))
    }

    /// How an invitation ends.
    enum Ending: CaseIterable { case taken, expired, takenBack }

    @Test(
        "opens nothing that is written after the owner's next change, for others who know its URL",
        arguments: Ending.allCases)
    func knownURL(ending: Ending) throws {
        let token = try #require(try invite())
        let key = try key(of: token)
        #expect(try opens("a", with: key) && opens("b", with: key))
        #expect(try !opens("c", with: key) && !opens("top", with: key))
        switch ending {
        case .taken: _ = try fixture.core.shares.accept(token, session(3))
        case .expired: fixture.clock.pass(2 * Self.week)
        case .takenBack: _ = try save([:]).record
        }
        // A change of any record is enough to begin a new epoch.
        _ = try owner.put("c", "next").record
        _ = try owner.put("a", "next").record
        #expect(try fixture.head().0.epoch == 3 && members().invitations.isEmpty)
        #expect(try !opens("a", with: key) && opens("b", with: key))
        guard ending == .taken else { return }
        #expect(try fixture.view(3).record("a").value(of: "s") == .string("next"))
        #expect(try fixture.view(3).record("b").value(of: "s") == .string("v-b"))
        #expect(try CoreFixture(sharing: fixture).view(3).readable(["a", "b"]) == ["a", "b"])
    }

    /// The share's key, obtained as anybody with the URL and a copy of the head could.
    private func key(of token: String) throws -> ZoneKey {
        let bytes = try #require(Hexadecimal.bytes(token))
        // Version, owner, zone and share come first; then the invitation and its secret.
        let name = try #require(RandomIdentifier(bytes: Array(bytes[49..<65])))
        let bearer = try AccountKeys(
            AccountIdentifier(name), in: fixture.place, epoch: 0,
            serviceKey: SecretBytes(copying: Array(bytes[65..<97])))
        let (head, keyring) = try fixture.head()
        let (identifier, share) = try #require(keyring.shares.first)
        let wrap = try #require(share.members.invitations[invitation]?.wraps[2])
        let scope = SealScope(head.database, zone: head.incarnation, share: identifier, epoch: 2)
        return try ParticipantWrap(scope, for: bearer.account, epoch: 0)
            .open(wrap, by: bearer, from: fixture.account(1).publicKeys)
    }

    private func opens(_ name: String, with key: ZoneKey) throws -> Bool {
        let stored = try RecordRows(fixture.store).sealed(name, "notes", owner.database)
        let record = try #require(SealedRecord(stored))
        let sealer = RecordSealer(key, fixture.container, try ItemCipher())
        let error = try refused { try sealer.open(record, name: name).encryptedValue("s") }
        #expect(error == nil || error?.code == .damaged)
        return error == nil
    }

    @Test("has a token of which no digit can be changed")
    func forgedTokens() throws {
        let token = try #require(try invite())
        for index in token.indices {
            let digit: Character = token[index] == "0" ? "1" : "0"
            let changed = token[..<index] + [digit] + token[index...].dropFirst()
            #expect(try refusal(String(changed), 3) == .unknownItem)
        }
        #expect(try members().invitations.count == 1)
        // Nobody but the owner gets the token from the share.
        #expect(try owner.record("share").invitations == [invitation: token])
        let share = try owner.record("share")
        let second = try fixture.accept(fixture.token(of: share), 2)
        #expect(try second.record("share").invitations.isEmpty)
    }

    @Test("hands out no key that the owner has not signed")
    func forgedKeys() throws {
        let token = try #require(try invite())
        let (identifier, share) = try #require(fixture.head().1.shares.first)
        let wraps = try #require(share.members.invitations[invitation]).wraps
        let second = try #require(share.members.participants[CoreFixture.identifier(2)]).wraps
        let turned: [UInt32: [UInt8]] = [2: try #require(wraps[2]).reversed()]
        for forged in [second, [:], turned] {
            try fixture.forge {
                $0.shares[identifier]?.members.invitations[invitation]?.wraps = forged
            }
            #expect(try refusal(token, 3) == .damaged)
        }
        try fixture.forge {
            $0.shares[identifier]?.members.invitations[invitation]?.wraps = wraps
        }
        #expect(try refusal(token, 3) == nil)
    }

    @Test("brings an account into a whole zone as well")
    func zone() throws {
        _ = try owner.delete("share")
        #expect(try owner.share(with: [:]).code == nil)
        let token = try #require(try invite(.readOnly, to: ZoneSharing.recordName))
        _ = try fixture.core.shares.accept(token, session(3))
        let third = try fixture.view(3)
        #expect(try third.record("c").value(of: "s") == .string("v-c"))
        #expect(try refused { try third.put("c", "x") }?.code == .permissionFailure)
        #expect(try refusal(token, 4) == .unknownItem)
        // The next key is for the owner and the participants only. Ending the share makes one more
        // key, even without participants, because somebody with the invitation's URL could have the
        // former key.
        #expect(try owner.share(with: [:]).code == nil)
        #expect(try invite(.readOnly, to: ZoneSharing.recordName) != nil)
        let epoch = try fixture.head().0.epoch
        #expect(try owner.delete(ZoneSharing.recordName).code == nil)
        #expect(try fixture.head().0.epoch == epoch + 1)
    }

    @Test("counts as a participant")
    func limit() throws {
        var limits = RecordLimits()
        limits.participantCount = 1
        let fixture = try CoreFixture(limits: limits)
        let (owner, _) = try fixture.sharedBranch(with: [2: .readOnly])
        let wish = RecordChange.InvitationWish(.readOnly, expiry: .max)
        let save = RecordChange.Save(
            SystemType.share, .none, fields: [:],
            participants: [try CoreFixture.identifier(2): .readOnly],
            invitations: [invitation: wish])
        let result = try owner.modify([RecordChange("share", .save(save))], in: "notes")[0]
        #expect(result.code == .tooManyParticipants)
    }
}
