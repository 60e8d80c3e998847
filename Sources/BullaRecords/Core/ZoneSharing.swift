internal import Bulla
internal import BullaMemory

/// The share of a zone, or of one record with the records below it, as its participants see it.
///
/// The zone's head has the participants, with the keys of the zone, or of the share, wrapped for
/// each. The head decides, and one compare-and-set changes it. The share is also a record of the
/// zone, with a type and a name of its own, so that it appears in results and feeds, and has a
/// title; it mirrors the head.
/// The head changes first, the record afterwards. If a process ends in between, the head is right:
/// a removed participant cannot read any more, and an added one can accept. Saving or deleting the
/// share again brings the record up to date.
///
/// What a share protects, and what it does not:
///
/// - A participant of a record's share gets keys that open the records of this share, and nothing
///   else of the zone.
/// - Keys are wrapped for a participant under keys that only the participant has, and
///   signed by the owner. A key of the container vouches for public keys, and a backend does not
///   have that key. Anyone who has the container's secret, as a gateway does, can put their own
///   public keys into the directory, and then receive what owners share with others.
/// - Removing a participant begins a new epoch of the keys. What is written from then on
///   does not open with keys that the participant kept. What was written before still opens, until
///   it is written again; so do files whose keys the participant held.
/// - A participant who leaves cannot make keys for the others. The owner's next change of the zone
///   begins a new epoch; until then, records are sealed under a key that the former participant may
///   have kept.
/// - A participant who may only read has the same keys. So it is the core, and not the seal,
///   that refuses what such a participant writes.
/// - A backend can withhold a share, and can put back a whole former zone, with the participants of
///   that time.
package struct ZoneSharing: Hashable, Sendable {
    /// The name of a zone's share record.
    package static let recordName = "cloudkit.zoneshare"

    package let owner: AccountIdentifier
    package let zone: RandomIdentifier
    package let target: ShareTarget
    /// The name of the share's record.
    package let name: String
    /// The name of the record that is shared with those below it; `nil` for a zone.
    package let root: String?
    package let participants: [AccountIdentifier: ShareParticipant]

    init(_ owner: AccountIdentifier, _ zone: RandomIdentifier, _ share: ZoneShare) {
        (self.owner, self.zone, participants) = (owner, zone, share.participants)
        (target, name, root) = (.zone, Self.recordName, nil)
    }

    init(
        _ owner: AccountIdentifier, _ zone: RandomIdentifier, _ identifier: RandomIdentifier,
        _ share: RecordShare
    ) {
        (self.owner, self.zone, participants) = (owner, zone, share.members.participants)
        (target, name, root) = (.record(identifier), share.name, share.root)
    }
}

/// What a share shares.
package enum ShareTarget: Hashable, Sendable {
    case zone
    /// One record and those below it; the identifier is that of the share.
    case record(RandomIdentifier)
}

/// The token that identifies a share to those who can accept it: opaque, and authenticated with the
/// container's key.
///
///     bytes  field
///         1  version: 1 for a zone, 2 for a record
///        16  owner
///        16  incarnation of the zone
///        16  identifier of the share, if it is that of a record
///        32  HMAC of all that, under the container's key for the directory
///
/// It opens nothing: only users whom its owner has added can accept a share.
struct ShareToken: Hashable {
    private static let versionOfZone: UInt8 = 1
    private static let versionOfRecord: UInt8 = 2

    let owner: AccountIdentifier
    let zone: RandomIdentifier
    let target: ShareTarget

    init(_ sharing: ZoneSharing) {
        (owner, zone, target) = (sharing.owner, sharing.zone, sharing.target)
    }

    /// The form that clients store: 130 hexadecimal digits, or 162.
    func text(_ container: ContainerKeys) throws(RecordError) -> String {
        var bytes = owner.identifier.bytes + zone.bytes
        switch target {
        case .zone: bytes.insert(Self.versionOfZone, at: 0)
        case .record(let share): bytes = [Self.versionOfRecord] + bytes + share.bytes
        }
        return Hexadecimal.text(try Self.voucher(container).vouched(bytes))
    }

    /// - Throws: `unknownItem` for an invalid text.
    init(_ text: String, _ container: ContainerKeys) throws(RecordError) {
        guard let bytes = Hexadecimal.bytes(text),
            let body = try Self.voucher(container).body(of: bytes),
            let token = body.withView({ ShareToken($0) })
        else { throw ShareInvitations.noShare }
        self = token
    }

    private init?(_ view: ByteView) {
        var cursor = ByteCursor(view)
        guard let version = cursor.next(UInt8.self), let owner = cursor.nextIdentifier(),
            let zone = cursor.nextIdentifier()
        else { return nil }
        let share = version == Self.versionOfRecord ? cursor.nextIdentifier() : nil
        guard cursor.isAtEnd, version == Self.versionOfZone || share != nil else { return nil }
        (self.owner, self.zone) = (AccountIdentifier(owner), zone)
        target = share.map { .record($0) } ?? .zone
    }

    private static func voucher(_ container: ContainerKeys) -> Voucher {
        Voucher(
            container.directory, ByteTuple("bulla records share token v1", container.place))
    }
}
