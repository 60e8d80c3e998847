import BullaCipher
import BullaMemory
import BullaRecords
import BullaTestSupport

/// Keys of one account in one container, and records to seal under them.
final class SealFixture {
    let container: ContainerKeys
    let items: ItemCipher
    let owner: AccountIdentifier
    private(set) var random: TestRandom

    init(seed: Int = 1, place: Place = Place("iCloud.org.example.notes", .development)) throws {
        random = TestRandom(seed: seed)
        let secret = try SecretBytes(copying: random.uniqueBytes(32))
        container = try ContainerKeys(place, secret)
        items = try ItemCipher()
        owner = AccountIdentifier(random.identifier())
    }

    /// A new key for an epoch of one of the owner's zones: by default, for the first epoch of a new
    /// zone.
    func zoneKey(_ zone: RandomIdentifier? = nil, epoch: UInt32 = 1) throws -> ZoneKey {
        let zone = zone ?? random.identifier()
        let database = Database(container.place, owner: owner)
        return try ZoneKey.random(SealScope(database, zone: zone, epoch: epoch))
    }

    func bytes(_ count: Int) -> [UInt8] { random.uniqueBytes(count) }

    func sealer(_ key: ZoneKey) -> RecordSealer { RecordSealer(key, container, items) }

    func tag() -> ChangeTag {
        guard let tag = ChangeTag(bytes: random.uniqueBytes(12)) else {
            preconditionFailure("there are 12 bytes")
        }
        return tag
    }

    func draft(_ name: String = "note", fields: [String: RecordField]) -> RecordDraft {
        let stamp = RecordStamps.Stamp(time: 1_700_000_000_000, account: owner, device: "desk")
        return RecordDraft(
            name, type: "Note", fields: fields,
            stamps: RecordStamps(created: stamp, modified: stamp), tag: tag(),
            incarnation: random.identifier(), schemaVersion: 7)
    }

    /// Fields of every kind, plain and encrypted.
    func fields() -> [String: RecordField] {
        var fields: [String: RecordField] = [:]
        for kind in ValueKind.allCases {
            fields["plain\(kind)"] = .plain(random.value(of: kind))
            let list = (0..<random.below(4)).map { _ in random.value(of: kind) }
            fields["plain\(kind)List"] = .plain(.list(kind, list))
            guard kind.isSealable else { continue }
            fields["sealed\(kind)"] = .encrypted(random.value(of: kind))
            fields["sealed\(kind)List"] = .encrypted(.list(kind, list))
        }
        return fields
    }
}

extension SecretBytes {
    init(copying bytes: [UInt8]) throws(MemoryError) {
        try self.init(byteCount: bytes.count)
        bytes.withView { source in withMutableView { $0.copy(source, to: 0) } }
    }
}
