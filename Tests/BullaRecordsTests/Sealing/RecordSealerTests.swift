import BullaCipher
import BullaMemory
import BullaRecords
import BullaTestSupport
import Testing

@Suite("A sealed record")
struct RecordSealerTests {
    private let fixture: SealFixture
    private let key: ZoneKey
    private var sealer: RecordSealer { fixture.sealer(key) }

    init() throws {
        fixture = try SealFixture()
        key = try fixture.zoneKey()
    }

    @Test("gives back every kind of value, plain and encrypted")
    func roundTrip() throws {
        let draft = fixture.draft(fields: fixture.fields())
        let opened = try reopen(try sealer.stored(draft))
        for (name, field) in draft.fields {
            switch field {
            case .plain(let value) where value.kind.element == .asset:
                // An asset, whose value contains its key, is sealed separately from the plain
                // values.
                #expect(try opened.encryptedValue(name) == value)
                #expect(opened.plain[name] == nil)
            case .plain(let value): #expect(opened.plain[name] == value)
            case .encrypted(let value): #expect(try opened.encryptedValue(name) == value)
            case .kept: Issue.record("nothing was kept")
            }
        }
        #expect(opened.plain.count + opened.record.encryptedFields.count == draft.fields.count)
        #expect(opened.record.tag == draft.tag && opened.record.stamps == draft.stamps)
        #expect(opened.record.type == "Note" && opened.record.schemaVersion == 7)
        #expect(try opened.encryptedValue("none") == nil)
    }

    @Test("carries parent, traces and former tag, or none of them")
    func optionalParts() throws {
        var draft = fixture.draft(fields: [:])
        let zone = ZoneIdentifier("zone", owner: fixture.owner)
        draft.parent = RecordIdentifier("folder", in: zone)
        draft.traces = [ShareTrace(try .new(), change: 9), ShareTrace(try .new(), change: 3)]
        draft.formerTag = fixture.tag()
        let full = try reopen(try sealer.stored(draft)).record
        #expect(full.parent == draft.parent && full.traces == draft.traces && full.share == nil)
        #expect(full.formerTag == draft.formerTag)
        let bare = try reopen(try sealer.stored(fixture.draft(fields: [:]))).record
        #expect(bare.parent == nil && bare.traces.isEmpty && bare.formerTag == nil)
    }

    @Test("shows neither the values of its fields nor their exact lengths")
    func hidden() throws {
        let canary = "canary-7c1f"
        let sealed = try sealer.stored(
            fixture.draft(fields: [
                "open": .plain(.string(canary)), "closed": .encrypted(.string(canary)),
            ]))
        #expect(!sealed.bytes.contains(Array(canary.utf8)))
        let lengths = try (1...20).map { count in
            let text = String(repeating: "x", count: count)
            return try sealer.stored(fixture.draft(fields: ["f": .encrypted(.string(text))]))
                .bytes.count
        }
        #expect(Set(lengths).count == 1)
    }

    @Test("differs from another of the same fields")
    func noTwoAlike() throws {
        let draft = fixture.draft(fields: ["f": .encrypted(.int64(1))])
        #expect(try sealer.stored(draft).bytes != (try sealer.stored(draft).bytes))
    }

    @Test("does not open with any of its bits changed, nor cut short or continued")
    func everyBit() throws {
        let draft = fixture.draft(
            fields: ["open": .plain(.int64(5)), "closed": .encrypted(.string("text"))])
        let sealed = try sealer.stored(draft)
        for index in sealed.bytes.indices {
            var bytes = sealed.bytes
            bytes[index] ^= 1 << UInt8(index % 8)
            expectDamage(bytes)
        }
        for count in 0..<sealed.bytes.count { expectDamage(Array(sealed.bytes.prefix(count))) }
        expectDamage(sealed.bytes + [0])
    }

    @Test("opens nowhere but where it stood")
    func transplants() throws {
        let sealed = try sealer.stored(fixture.draft(fields: ["f": .encrypted(.int64(1))]))
        expectDamage(sealed.bytes, name: "other")
        let zone = key.scope.zone
        // A key of another zone or life, another key of the same life, and a key of another epoch
        // do not open it.
        expectDamage(sealed.bytes, sealer: fixture.sealer(try fixture.zoneKey()))
        expectDamage(sealed.bytes, sealer: fixture.sealer(try fixture.zoneKey(zone)))
        expectDamage(sealed.bytes, sealer: fixture.sealer(try fixture.zoneKey(zone, epoch: 2)))
        let publicSealer = RecordSealer(publicZone: zone, fixture.container, fixture.items)
        expectDamage(sealed.bytes, sealer: publicSealer)
        // Another container's plain values are sealed under another key.
        let mixed = try sealer.stored(fixture.draft(fields: ["f": .plain(.int64(1))]))
        let other = try SealFixture(seed: 2)
        expectDamage(mixed.bytes, sealer: RecordSealer(key, other.container, other.items))
    }

    @Test("does not take another's parts, nor those of its own former version")
    func swappedParts() throws {
        let former = try sealer.stored(
            fixture.draft(fields: ["f": .encrypted(.int64(1)), "p": .plain(.int64(1))]))
        var next = fixture.draft(fields: ["f": .encrypted(.int64(2)), "p": .plain(.int64(2))])
        next.incarnation = former.incarnation
        let newer = try sealer.stored(next, over: try reopen(former))
        let other = try sealer.stored(
            fixture.draft("other", fields: ["f": .encrypted(.int64(3)), "p": .plain(.int64(3))]))
        for donor in [former, other] where donor.bytes.count == newer.bytes.count {
            // Replace any 16 bytes, whether of a wrap, a blob or a seal.
            for start in stride(from: 0, to: newer.bytes.count - 16, by: 4) {
                var bytes = newer.bytes
                bytes.replaceSubrange(start..<start + 16, with: donor.bytes[start..<start + 16])
                if bytes != newer.bytes { expectDamage(bytes) }
            }
        }
        #expect(former.bytes.count == newer.bytes.count && other.bytes.count == newer.bytes.count)
    }

    @Test("keeps fields as they are, byte for byte, under the same key")
    func keptFields() throws {
        let former = try reopen(
            try sealer.stored(
                fixture.draft(fields: [
                    "a": .encrypted(.string("kept")), "b": .encrypted(.int64(1)),
                ])))
        var draft = fixture.draft(fields: ["a": .kept, "b": .encrypted(.int64(2))])
        draft.incarnation = former.record.incarnation
        let next = try reopen(try sealer.stored(draft, over: former))
        #expect(try next.encryptedValue("a") == .string("kept"))
        #expect(try next.encryptedValue("b") == .int64(2))
        #expect(next.record.bytes.contains(former.blob("a")))
        #expect(!next.record.bytes.contains(former.blob("b")))
    }

    @Test("is sealed anew, all of it, under the next epoch's key")
    func nextEpoch() throws {
        let former = try reopen(
            try sealer.stored(fixture.draft(fields: ["a": .encrypted(.string("kept"))])))
        var draft = fixture.draft(fields: ["a": .kept])
        draft.incarnation = former.record.incarnation
        let later = fixture.sealer(try fixture.zoneKey(key.scope.zone, epoch: 2))
        let next = try later.open(try later.stored(draft, over: former), name: "note")
        #expect(try next.encryptedValue("a") == .string("kept"))
        #expect(!next.record.bytes.contains(former.blob("a")))
    }

    @Test("cannot keep a field that was not there")
    func keptNothing() throws {
        #expect(throws: RecordError.self) {
            try sealer.stored(fixture.draft(fields: ["a": .kept]))
        }
    }

    @Test("has no encrypted reference, no encrypted asset, and none in the public database")
    func refusals() throws {
        var random = TestRandom(seed: 9)
        for kind in [ValueKind.reference, .asset] {
            let value = random.value(of: kind)
            for value in [value, .list(kind, [value])] {
                let error = #expect(throws: RecordError.self) {
                    try sealer.stored(fixture.draft(fields: ["f": .encrypted(value)]))
                }
                #expect(error?.code == .invalidArguments)
            }
        }
        let zone = random.identifier()
        let everybody = RecordSealer(publicZone: zone, fixture.container, fixture.items)
        let error = #expect(throws: RecordError.self) {
            try everybody.stored(fixture.draft(fields: ["f": .encrypted(.int64(1))]))
        }
        #expect(error?.code == .invalidArguments)
        let sealed = try everybody.stored(fixture.draft(fields: ["f": .plain(.int64(1))]))
        #expect(try everybody.open(sealed, name: "note").plain == ["f": .int64(1)])
    }

    private func reopen(_ sealed: SealedRecord) throws -> OpenedRecord {
        let read = try #require(SealedRecord(sealed.bytes))
        return try sealer.open(read, name: "note")
    }

    /// Expects that a record does not open; bytes that are no record count as damaged, too.
    private func expectDamage(
        _ bytes: [UInt8], name: String = "note", sealer: RecordSealer? = nil
    ) {
        guard let record = SealedRecord(bytes) else { return }
        let error = #expect(throws: RecordError.self) {
            try (sealer ?? self.sealer).open(record, name: name)
        }
        #expect(error?.code == .damaged)
    }
}

@Suite("A key of a zone")
struct ZoneKeyTests {
    @Test("is unwrapped by whom it was wrapped for, for its zone and epoch alone")
    func wraps() throws {
        let fixture = try SealFixture()
        let key = try fixture.zoneKey()
        let wrapper = try VaultCipher(key: SecretBytes(copying: fixture.bytes(32)))
        let wrap = try key.wrapped(by: wrapper, for: fixture.owner)
        let again = try ZoneKey.unwrap(wrap, key.scope, by: wrapper, for: fixture.owner)
        let draft = fixture.draft(fields: ["f": .encrypted(.int64(1))])
        let sealed = try fixture.sealer(key).stored(draft)
        #expect(
            try fixture.sealer(again).open(sealed, name: "note").encryptedValue("f") == .int64(1))

        let stranger = AccountIdentifier(try #require(RandomIdentifier(bytes: fixture.bytes(16))))
        let other = try VaultCipher(key: SecretBytes(copying: fixture.bytes(32)))
        let (zone, database) = (key.scope.zone, key.scope.database)
        let scopes = [
            SealScope(database, zone: zone, epoch: 2),
            SealScope(Database(database.place, owner: stranger), zone: zone, epoch: 1),
        ]
        for scope in scopes {
            expectDamage { try ZoneKey.unwrap(wrap, scope, by: wrapper, for: fixture.owner) }
        }
        expectDamage { try ZoneKey.unwrap(wrap, key.scope, by: wrapper, for: stranger) }
        expectDamage { try ZoneKey.unwrap(wrap, key.scope, by: other, for: fixture.owner) }
        for index in wrap.indices {
            var changed = wrap
            changed[index] ^= 1
            expectDamage {
                try ZoneKey.unwrap(changed, key.scope, by: wrapper, for: fixture.owner)
            }
        }
    }

    private func expectDamage(_ body: () throws -> ZoneKey) {
        let error = #expect(throws: RecordError.self) { _ = try body() }
        #expect(error?.code == .damaged)
    }
}

extension OpenedRecord {
    /// The bytes of an encrypted field, as they are stored.
    fileprivate func blob(_ name: String) -> [UInt8] {
        guard let range = record.blobRange(of: name) else { return [] }
        return Array(record.bytes[range])
    }
}

extension RecordSealer {
    /// A record as it is stored.
    fileprivate func stored(
        _ draft: RecordDraft, over former: OpenedRecord? = nil
    ) throws(RecordError) -> SealedRecord { try seal(draft, over: former).record }
}
