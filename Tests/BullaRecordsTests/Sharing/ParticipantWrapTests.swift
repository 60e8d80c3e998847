import BullaMemory
import BullaRecords
import BullaTestSupport
import Testing

@Suite("A zone's key for a participant")
struct ParticipantWrapTests {
    private let fixture: SealFixture
    private let owner: AccountKeys
    private let participant: AccountKeys
    private let key: ZoneKey
    private let wrap: [UInt8]

    init() throws {
        fixture = try SealFixture()
        owner = try Self.keys(fixture.owner, 1, fixture.container.place)
        participant = try Self.keys(CoreFixture.identifier(9), 2, fixture.container.place)
        key = try fixture.zoneKey()
        wrap = try ParticipantWrap(key.scope, for: participant.account, epoch: 1)
            .seal(key, for: participant.publicKeys, by: owner)
    }

    private static func keys(
        _ account: AccountIdentifier, _ byte: UInt8, _ place: Place, epoch: UInt32 = 1
    ) throws -> AccountKeys {
        let secret = try SecretBytes(copying: [UInt8](repeating: byte, count: 32))
        return try AccountKeys(account, in: place, epoch: epoch, serviceKey: secret)
    }

    private func isOpened(
        _ wrap: [UInt8], _ scope: SealScope? = nil, as account: AccountIdentifier? = nil,
        epoch: UInt32 = 1, by keys: AccountKeys? = nil, from owner: AccountKeys? = nil
    ) throws -> Bool {
        let form = ParticipantWrap(
            scope ?? key.scope, for: account ?? participant.account, epoch: epoch)
        do throws(RecordError) {
            _ = try form.open(
                wrap, by: keys ?? participant, from: (owner ?? self.owner).publicKeys)
            return true
        } catch {
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    @Test("What the owner wraps, the participant opens, and records with it")
    func roundTrip() throws {
        #expect(wrap.count == 156)
        let opened = try ParticipantWrap(key.scope, for: participant.account, epoch: 1)
            .open(wrap, by: participant, from: owner.publicKeys)
        let draft = fixture.draft(fields: fixture.fields())
        let sealed = try fixture.sealer(key).seal(draft)
        let read = try fixture.sealer(opened).open(sealed.record, name: draft.name)
        #expect(read.plain == sealed.plain)
        let again = try ParticipantWrap(key.scope, for: participant.account, epoch: 1)
            .seal(key, for: participant.publicKeys, by: owner)
        #expect(again.prefix(32) != wrap.prefix(32))
    }

    @Test("No bit of it can be changed, and none is missing")
    func everyBit() throws {
        for bit in 0..<wrap.count * 8 {
            var changed = wrap
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try !isOpened(changed), "bit \(bit)")
        }
        #expect(try !isOpened(Array(wrap.dropLast())))
        #expect(try !isOpened(wrap + [0]))
        #expect(try !isOpened([]))
    }

    @Test("It opens in no other place, and for nobody else")
    func transplants() throws {
        let place = fixture.container.place
        #expect(try isOpened(wrap))
        let (scope, database) = (key.scope, key.scope.database)
        let zone = try fixture.zoneKey().scope.zone
        #expect(try !isOpened(wrap, SealScope(database, zone: zone, epoch: 1)))
        #expect(try !isOpened(wrap, SealScope(database, zone: scope.zone, epoch: 2)))
        let share = SealScope(database, zone: scope.zone, share: try .new(), epoch: 1)
        #expect(try !isOpened(wrap, share))
        let shareWrap = try ParticipantWrap(share, for: participant.account, epoch: 1)
            .seal(ZoneKey.random(share), for: participant.publicKeys, by: owner)
        #expect(try isOpened(shareWrap, share) && !isOpened(shareWrap))
        let otherShare = SealScope(database, zone: scope.zone, share: try .new(), epoch: 1)
        #expect(try !isOpened(shareWrap, otherShare))
        let stranger = Database(place, owner: try CoreFixture.identifier(8))
        #expect(try !isOpened(wrap, SealScope(stranger, zone: scope.zone, epoch: 1)))
        for other in [Place(place.container, .production), Place("iCloud.other", .development)] {
            let database = Database(other, owner: database.owner)
            #expect(try !isOpened(wrap, SealScope(database, zone: scope.zone, epoch: 1)))
        }
        #expect(try !isOpened(wrap, as: CoreFixture.identifier(8)))
        #expect(try !isOpened(wrap, epoch: 2))
        let other = try Self.keys(CoreFixture.identifier(8), 3, place)
        #expect(try !isOpened(wrap, by: other))
        #expect(try !isOpened(wrap, from: other))
    }

    @Test("A wrap that another account has signed is not the owner's")
    func forgedSignature() throws {
        let forger = try Self.keys(CoreFixture.identifier(8), 3, fixture.container.place)
        let forged = try ParticipantWrap(key.scope, for: participant.account, epoch: 1)
            .seal(key, for: participant.publicKeys, by: forger)
        #expect(try !isOpened(forged))
        #expect(try !isOpened(Array(forged.prefix(92)) + wrap.suffix(64)))
        #expect(try !isOpened(Array(wrap.prefix(92)) + forged.suffix(64)))
    }

    @Test("Keys that have ended wrap and open nothing")
    func ended() throws {
        participant.end()
        #expect(throws: RecordError.self) { try isOpened(wrap) }
        owner.end()
        let seal = ParticipantWrap(key.scope, for: participant.account, epoch: 1)
        #expect(throws: RecordError.self) {
            try seal.seal(key, for: participant.publicKeys, by: owner)
        }
    }
}
