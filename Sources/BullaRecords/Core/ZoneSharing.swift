internal import Bulla
internal import BullaMemory

/// The share of a zone, as its participants see it: all of its records, shared with accounts by
/// name.
///
/// The zone's head has the participants, with the zone's keys wrapped for each. The head decides,
/// and one compare-and-set changes it. The share is also a record of the zone, with a type and a
/// name of its own, so that it appears in results and feeds, and has a title; it mirrors the head.
/// The head changes first, the record afterwards. If a process ends in between, the head is right:
/// a removed participant cannot read any more, and an added one can accept. Saving or deleting the
/// share again brings the record up to date.
///
/// What a share protects, and what it does not:
///
/// - A zone's keys are wrapped for a participant under keys that only the participant has, and
///   signed by the owner. A key of the container vouches for public keys, and a backend does not
///   have that key. Anyone who has the container's secret, as a gateway does, can put their own
///   public keys into the directory, and then receive what owners share with others.
/// - Removing a participant begins a new epoch of the zone's keys. What is written from then on
///   does not open with keys that the participant kept. What was written before still opens, until
///   it is written again; so do files whose keys the participant held.
/// - A participant who leaves cannot make keys for the others. The owner's next change of the zone
///   begins a new epoch; until then, records are sealed under a key that the former participant may
///   have kept.
/// - A participant who may only read has the zone's keys, too. So it is the core, and not the seal,
///   that refuses what such a participant writes.
/// - A backend can withhold a share, and can put back a whole former zone, with the participants of
///   that time.
package struct ZoneSharing: Hashable, Sendable {
    /// The name of a zone's share record.
    package static let recordName = "cloudkit.zoneshare"

    package let owner: AccountIdentifier
    package let zone: RandomIdentifier
    package let participants: [AccountIdentifier: ShareParticipant]

    init(_ owner: AccountIdentifier, _ zone: RandomIdentifier, _ share: ZoneShare) {
        (self.owner, self.zone, participants) = (owner, zone, share.participants)
    }
}

/// The token that identifies a share to those who can accept it: opaque, and authenticated with the
/// container's key.
///
///     bytes  field
///         1  version: 1
///        16  owner
///        16  incarnation of the zone
///        32  HMAC of all that, under the container's key for the directory
///
/// It opens nothing: only users whom its owner has added can accept a share.
struct ShareToken: Hashable {
    private static let version: UInt8 = 1

    let owner: AccountIdentifier
    let zone: RandomIdentifier

    init(_ sharing: ZoneSharing) { (owner, zone) = (sharing.owner, sharing.zone) }

    /// The form that clients store: 130 hexadecimal digits.
    func text(_ container: ContainerKeys) throws(RecordError) -> String {
        Hexadecimal.text(
            try Self.voucher(container)
                .vouched([Self.version] + owner.identifier.bytes + zone.bytes))
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
        guard cursor.next(UInt8.self) == Self.version, let owner = cursor.nextIdentifier(),
            let zone = cursor.nextIdentifier(), cursor.isAtEnd
        else { return nil }
        (self.owner, self.zone) = (AccountIdentifier(owner), zone)
    }

    private static func voucher(_ container: ContainerKeys) -> Voucher {
        Voucher(
            container.directory, ByteTuple("bulla records share token v1", container.place))
    }
}
