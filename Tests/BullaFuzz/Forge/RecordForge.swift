internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaRecords

/// Keys of a container, and what is sealed under them for one zone.
final class RecordForge: Sendable {
    static let shared: RecordForge = {
        do { return try RecordForge() } catch { preconditionFailure("records can be sealed") }
    }()

    static let place = Place("iCloud.org.example.notes", .development)
    static let account = AccountIdentifier(identifier(1))
    static let zone = ZoneIdentifier("notes", owner: account)
    static let life = identifier(2)
    static let database = Database(place, owner: account)
    static let name = "note"

    let container: ContainerKeys
    let sealer: RecordSealer
    let core: RecordCore
    let account: AccountKeys
    /// Sealed records, with and without their optional parts.
    let records: [[UInt8]]
    let keyring: [UInt8]

    private init() throws {
        container = try ContainerKeys(Self.place, SecretBytes.random(byteCount: 32))
        let scope = SealScope(Self.database, zone: Self.life, epoch: 1)
        let key = try ZoneKey.random(scope)
        let sealer = RecordSealer(key, container, try ItemCipher())
        self.sealer = sealer
        let store = try Store.open(at: FuzzFile.path("store"), options: StoreVerbs.options)
        core = try RecordCore(EmbeddedBackend(store), container, clock: { 1_795_435_200_000 })
        account = try AccountKeys(
            Self.account, in: Self.place, epoch: 1,
            serviceKey: SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount))
        records = try Self.drafts.map { try sealer.seal($0).record.bytes }
        let wrap = [UInt8](repeating: 5, count: ZoneKey.wrappedByteCount)
        var zoneKeys = ZoneKeyring(accountEpoch: 1, wraps: [1: wrap, 2: wrap])
        var share = RecordShare(named: "share", of: "a")
        share.wraps = [2: wrap]
        share.members.participants[Self.account] = ShareParticipant(
            accountEpoch: 1, .readWrite,
            wraps: [2: [UInt8](repeating: 6, count: ParticipantWrap.byteCount)])
        zoneKeys.shares[Self.identifier(7)] = share
        keyring = try zoneKeys.bytes(Self.zone, Self.life, container)
    }

    static func identifier(_ digit: UInt8) -> RandomIdentifier {
        [UInt8](repeating: digit, count: RandomIdentifier.byteCount).withView {
            RandomIdentifier($0)
        }
    }

    /// One value of each kind.
    static let values: [RecordValue] = [
        .string("t\u{e9}"), .int64(-7), .double(2.5), .timestamp(1_700_000_000_000),
        .bytes([0, 255]), .location(Location(latitude: 47, longitude: 8)),
        .reference(RecordReference(RecordIdentifier("a", in: zone), action: .none)),
        .list(.string, [.string("a"), .string("")]),
    ]

    private static var drafts: [RecordDraft] {
        guard let tag = ChangeTag(bytes: [UInt8](repeating: 7, count: ChangeTag.byteCount)) else {
            return []
        }
        let stamp = RecordStamps.Stamp(time: 1_700_000_000_000, account: account, device: "desk")
        var draft = RecordDraft(
            name, type: "Note", fields: [:],
            stamps: RecordStamps(created: stamp, modified: stamp), tag: tag,
            incarnation: identifier(3), schemaVersion: 1)
        let bare = draft
        for (number, value) in values.enumerated() {
            draft.fields["p\(number)"] = .plain(value)
            if value.kind.element.isSealable { draft.fields["s\(number)"] = .encrypted(value) }
        }
        draft.formerTag = tag
        draft.parent = RecordIdentifier("a", in: zone)
        draft.traces = [
            ShareTrace(identifier(8), change: 5),
            ShareTrace(identifier(9), change: 6, type: "List"),
        ]
        return [bare, draft]
    }
}
