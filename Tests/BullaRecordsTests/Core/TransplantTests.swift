import Bulla
import BullaCipher
import BullaRecords
import BullaTestSupport
import Testing

/// When any part of a backend's data is moved to a wrong place, the item there must be reported as
/// damaged, and all others must still work.
@Suite("What a backend puts in another place")
struct TransplantTests {
    private let fixture: CoreFixture
    private let rows: RecordRows
    private let views: [UInt8: DatabaseView]
    private let spots: [Spot]

    /// The place of a record.
    private struct Spot: Hashable {
        var account: UInt8 = 1
        var zone = "one"
        var name = "a"
    }

    private static let home = Spot()
    private static let zones = ["one", "two"]

    init() throws {
        fixture = try CoreFixture()
        rows = RecordRows(fixture.store)
        views = [1: try fixture.database(1), 2: try fixture.database(2)]
        spots = [1, 2].flatMap { account in
            Self.zones.flatMap { zone in
                ["a", "b"].map { Spot(account: account, zone: zone, name: $0) }
            }
        }
        for view in views.values { for zone in Self.zones { try view.createZone(zone) } }
        for spot in spots { try save(spot, revision: 1) }
    }

    private func view(_ spot: Spot) throws -> DatabaseView { try #require(views[spot.account]) }

    /// The text of a field; all have the same length, so that each would fit in the place of any
    /// other.
    private func text(_ spot: Spot, _ field: String) -> String {
        "\(field)\(spot.account)\(spot.zone)\(spot.name)"
    }

    private func save(_ spot: Spot, revision: Int64) throws {
        let results = try view(spot).save(
            spot.name,
            [
                "s": .sealed(.string(text(spot, "s"))), "t": .sealed(.string(text(spot, "t"))),
                "u": .sealed(.int64(revision)), "p": .plain(.string(text(spot, "p"))),
            ], in: spot.zone)
        #expect(results.code == nil)
    }

    private func sealed(_ spot: Spot) throws -> [UInt8] {
        try rows.sealed(spot.name, spot.zone, view(spot).database)
    }

    private func put(_ bytes: [UInt8], _ spot: Spot) throws {
        try rows.put(sealed: bytes, spot.name, spot.zone, view(spot).database)
    }

    /// Expects these records to be damaged, however they are read, and all others to be whole.
    private func expect(
        damaged: Set<Spot>, _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for spot in spots {
            let code = damaged.contains(spot) ? RecordError.Code.damaged : nil
            let found = try refusal(of: spot, view(spot).records([spot.name], in: spot.zone)[0])
            #expect(found == code, "\(comment): \(spot)", sourceLocation: sourceLocation)
            let page = try view(spot).changes(in: spot.zone)
            let record = try #require(page.changed.first { $0.name == spot.name }).record
            #expect(
                try refusal(of: spot, record) == code, "\(comment): feed, \(spot)",
                sourceLocation: sourceLocation)
        }
    }

    /// Why a record does not have the values that were saved; `nil` if it has them.
    private func refusal(
        of spot: Spot, _ result: Result<Record, RecordError>
    ) throws -> RecordError.Code? {
        do throws(RecordError) {
            let record = try result.get()
            for field in ["s", "t", "p"] {
                guard try record.value(of: field) == .string(text(spot, field)) else {
                    return .internalError
                }
            }
            return nil
        } catch { return error.code }
    }

    @Test("is no record of another name, zone or owner")
    func records() throws {
        let own = try sealed(Self.home)
        for donor in spots where donor != Self.home {
            try put(try sealed(donor), Self.home)
            try expect(damaged: [Self.home], "\(donor)")
        }
        try put(own, Self.home)
        try expect(damaged: [], "put back")
    }

    @Test("is no record of another life of its zone, nor of another environment")
    func lives() throws {
        let former = try sealed(Self.home)
        let view = try view(Self.home)
        try view.deleteZone("one")
        try view.createZone("one")
        for spot in spots where spot.account == 1 && spot.zone == "one" {
            try save(spot, revision: 1)
        }
        let own = try sealed(Self.home)
        try put(former, Self.home)
        try expect(damaged: [Self.home], "former life of the zone")
        try put(own, Self.home)
        let production = try CoreFixture(.production, sharing: fixture)
        try production.core.promote(from: fixture.core.schema())
        let other = try production.database()
        try other.createZone("one")
        #expect(
            try other.save("a", ["s": .sealed(.string("s")), "p": .plain(.string("p"))], in: "one")
                .code == nil)
        try put(try rows.sealed("a", "one", other.database), Self.home)
        try expect(damaged: [Self.home], "another environment")
    }

    @Test("is no field, wrap or plain value of another record or revision")
    func parts() throws {
        let former = try SealedParts(try sealed(Self.home))
        try save(Self.home, revision: 2)
        let own = try sealed(Self.home)
        var donors = ["former": former]
        for donor in spots where donor != Self.home {
            donors["\(donor)"] = try SealedParts(try sealed(donor))
        }
        for (name, donor) in donors {
            for index in donor.fields.indices {
                var forged = try SealedParts(own)
                forged.fields[index].blob = donor.fields[index].blob
                // Parts that were not saved again are the same in both.
                guard forged.bytes != own else { continue }
                try put(forged.bytes, Self.home)
                try expect(damaged: [Self.home], "\(name), field \(index)")
            }
            for part in [\SealedParts.wrap, \.plain, \.seal] {
                var forged = try SealedParts(own)
                forged[keyPath: part] = donor[keyPath: part]
                guard forged.bytes != own else { continue }
                try put(forged.bytes, Self.home)
                try expect(damaged: [Self.home], "\(name), \(part)")
            }
        }
        try put(own, Self.home)
        try expect(damaged: [], "put back")
    }

    @Test("is no field of another name or kind, and none is added, removed or turned plain")
    func fields() throws {
        let own = try sealed(Self.home)
        let forgeries: [(String, (inout SealedParts) -> Void)] = [
            ("swapped", { $0.fields.swapAt(0, 1) }),
            (
                "other names",
                {
                    ($0.fields[0].blob, $0.fields[1].blob) = ($0.fields[1].blob, $0.fields[0].blob)
                }
            ),
            ("renamed", { $0.fields[0].name = "r" }),
            ("other kind", { $0.fields[2].kind = $0.fields[0].kind }),
            ("added", { $0.fields.append($0.fields[2]) }),
            ("added under a name", { $0.fields.append(.init(name: "v", kind: 1, blob: [1])) }),
            ("removed", { $0.fields.removeLast() }),
            ("all removed", { $0.fields = [] }),
            ("plain values removed", { $0.plain = [0, 0, 0, 0] }),
        ]
        for (name, forge) in forgeries {
            var forged = try SealedParts(own)
            forge(&forged)
            try put(forged.bytes, Self.home)
            try expect(damaged: [Self.home], name)
        }
        var forged = try SealedParts(own)
        forged.plain = try turnedPlain(own)
        forged.fields.removeAll { $0.name == "s" }
        try put(forged.bytes, Self.home)
        try expect(damaged: [Self.home], "turned plain")
        // The plain value next to the encrypted field.
        forged.fields = try SealedParts(own).fields
        try put(forged.bytes, Self.home)
        try expect(damaged: [Self.home], "plain beside encrypted")
        try put(own, Self.home)
        try expect(damaged: [], "put back")
    }

    /// Moves an encrypted field to a record's plain values, and seals these for the record's own
    /// place.
    ///
    /// This needs the container's keys, but not the zone's.
    private func turnedPlain(_ own: [UInt8]) throws -> [UInt8] {
        let (record, head) = (
            try #require(SealedRecord(own)), try rows.head("one", view(Self.home).database)
        )
        let scope = SealScope(
            head.database, zone: head.incarnation, epoch: record.epoch)
        let fields = ["s", "p"].map {
            ($0, RecordField.plain(.string(text(Self.home, $0))))
        }
        let draft = RecordDraft(
            Self.home.name, type: record.type, fields: Dictionary(uniqueKeysWithValues: fields),
            stamps: record.stamps, tag: record.tag, incarnation: record.incarnation,
            schemaVersion: record.schemaVersion)
        let sealer = RecordSealer(try .random(scope), fixture.container, try ItemCipher())
        return try SealedParts(sealer.seal(draft).record.bytes).plain
    }

    @Test("is no part of a record that was deleted, and made again under its name")
    func formerLife() throws {
        let former = try SealedParts(try sealed(Self.home))
        #expect(try view(Self.home).delete(Self.home.name, in: Self.home.zone).code == nil)
        try save(Self.home, revision: 1)
        let own = try sealed(Self.home)
        #expect(SealedRecord(own)?.incarnation != SealedRecord(former.bytes)?.incarnation)
        for index in former.fields.indices {
            var forged = try SealedParts(own)
            forged.fields[index] = former.fields[index]
            try put(forged.bytes, Self.home)
            try expect(damaged: [Self.home], "field \(former.fields[index].name)")
        }
        for part in [\SealedParts.wrap, \.plain, \.seal, \.head] {
            var forged = try SealedParts(own)
            forged[keyPath: part] = former[keyPath: part]
            try put(forged.bytes, Self.home)
            try expect(damaged: [Self.home], "\(part)")
        }
        // Take everything that is sealed under the former record's key from that record, and take
        // the rest from the new record.
        var forged = former
        (forged.head, forged.plain) = (try SealedParts(own).head, try SealedParts(own).plain)
        try put(forged.bytes, Self.home)
        try expect(damaged: [Self.home], "wrap, fields and seal")
        try put(own, Self.home)
        try expect(damaged: [], "put back")
    }

    @Test("is no zone's head but the one that stands under its name, in its life")
    func heads() throws {
        let (one, two) = (Self.home, Spot(zone: "two"))
        let stranger = Spot(account: 2)
        let heads = try [one, two, stranger].map { try rows.head($0.zone, view($0).database) }
        for donor in heads.dropFirst() {
            // First only the donor's keys, then its whole head: one zone is passed off as another.
            try putHead(heads[0], keys: donor.keys)
            try expectZoneDamage(one, "keys of \(donor.name)")
            try putHead(
                heads[0], life: donor.incarnation, keys: donor.keys, seal: donor.seal)
            try expectZoneDamage(one, "head of \(donor.name)")
            try putHead(heads[0], seal: donor.seal)
            try expectZoneDamage(one, "seal of \(donor.name)")
        }
        try putHead(heads[0])
        try expect(damaged: [], "put back")
        try view(one).deleteZone("one")
        try view(one).createZone("one")
        let fresh = try rows.head("one", view(one).database)
        try putHead(fresh, keys: heads[0].keys)
        try expectZoneDamage(one, "keys of a former life")
        try putHead(fresh, seal: heads[0].seal)
        try expectZoneDamage(one, "seal of a former life")
    }

    @Test("is no head with former keys, and none that counts other than it was sealed")
    func headParts() throws {
        let view = try view(Self.home)
        let former = try rows.head("one", view.database)
        try fixture.publish(2)
        #expect(try view.share(with: [2: .readWrite], in: "one").code == nil)
        let head = try rows.head("one", view.database)
        #expect(head.keys != former.keys && head.seal != former.seal)
        try putHead(head, keys: former.keys)
        try expectZoneDamage(Self.home, "former keys")
        try putHead(head, seal: former.seal)
        try expectZoneDamage(Self.home, "former seal")
        for version in [former.version, head.version - 1, head.version + 1, .max] {
            try putHead(head, version: version)
            try expectZoneDamage(Self.home, "version \(version)")
        }
        for index in head.seal.indices {
            var seal = head.seal
            seal[index] ^= 0x10
            try putHead(head, seal: seal)
            try expectZoneDamage(Self.home, "byte \(index) of the seal")
        }
        for seal in [[], Array(head.seal.dropLast()), head.seal + [0]] {
            try putHead(head, seal: seal)
            try expectZoneDamage(Self.home, "\(seal.count) bytes of seal")
        }
        try putHead(head)
        try expect(damaged: [], "put back")
    }

    /// Rewrites the row of a head: 16 bytes of life, 8 of version, 4 of epoch, and 8 of byte count;
    /// then keys and seal, each after its length.
    private func putHead(
        _ head: StoredZone, life: RandomIdentifier? = nil, version: UInt64? = nil,
        keys: [UInt8]? = nil, seal: [UInt8]? = nil
    ) throws {
        try rows.change("zones") { rows in
            guard let owner = head.database.owner?.identifier.bytes,
                let key = rows.keys.first(where: {
                    $0.suffix(16 + head.name.utf8.count).elementsEqual(
                        owner + Array(head.name.utf8))
                })
            else { return }
            var row = (life ?? head.incarnation).bytes
            row.append(little: version ?? head.version)
            row.append(little: head.epoch)
            row.append(little: head.byteCount)
            for part in [keys ?? head.keys, seal ?? head.seal] {
                row.append(little: UInt32(part.count))
                row += part
            }
            rows[key] = row
        }
    }

    /// Expects a whole zone to be damaged, and all other zones to be whole.
    private func expectZoneDamage(_ zone: Spot, _ comment: String) throws {
        let view = try view(zone)
        let codes = [
            code { _ = try view.records(["a"], in: zone.zone) },
            code { _ = try view.changes(in: zone.zone) },
            code { _ = try view.save("new", in: zone.zone) },
        ]
        #expect(codes == [.damaged, .damaged, .damaged], "\(comment)")
        for spot in spots where spot.account != zone.account || spot.zone != zone.zone {
            let found = try refusal(
                of: spot, self.view(spot).records([spot.name], in: spot.zone)[0])
            #expect(found == nil, "\(comment): \(spot)")
        }
    }

    private func code(_ body: () throws -> Void) -> RecordError.Code? {
        do { try body() } catch { return (error as? RecordError)?.code }
        return nil
    }

    @Test("is no head from before what a follower has seen")
    func rollBack() throws {
        let view = try view(Self.home)
        let former = try rows.head("one", view.database)
        try save(Self.home, revision: 2)
        let zone = try view.changes(in: "one").token
        let database = try view.databaseChanges().token
        try putHead(former)
        #expect(code { _ = try view.changes(in: "one", since: zone) } == .zoneRolledBack)
        #expect(code { _ = try view.databaseChanges(since: database) } == .zoneRolledBack)
        #expect(code { _ = try view.changes(in: "two") } == nil)
    }

    @Test("is no chunk of another asset, in whichever zone and of whichever account")
    func chunks() throws {
        let places = [
            Spot(name: "x"), Spot(name: "y"), Spot(zone: "two", name: "x"),
            Spot(account: 2, name: "x"),
        ]
        let assets = try places.map { place in
            let upload = try view(place).beginUpload()
            try upload.append([UInt8](repeating: 7, count: 1_000))
            let asset = try upload.finish()
            let result = try view(place).save(
                place.name, ["file": .plain(.asset(asset))], type: "File", in: place.zone)
            #expect(result.code == nil)
            return asset
        }
        let keys = assets.map { $0.asset.bytes + [0, 0, 0, 0] }
        for donor in keys.dropFirst() {
            var own: [UInt8]?
            try rows.change("chunks") { rows in
                own = rows[keys[0]]
                rows[keys[0]] = rows[donor]
            }
            for (place, asset) in zip(places, assets) {
                var byteCount = 0
                let found = code { try view(place).asset(asset).read { byteCount += $0.count } }
                #expect(found == (place == places[0] ? .damaged : nil), "\(place)")
                #expect(byteCount == (place == places[0] ? 0 : 1_000), "\(place)")
            }
            try rows.change("chunks") { $0[keys[0]] = own }
        }
        try expect(damaged: [], "records")
    }
}
