internal import Bulla
internal import BullaMemory

/// The share of a zone as those who take part see it: all of its records, for accounts by name.
///
/// Who takes part stands in the zone's head, with the zone's keys wrapped for each: one truth, that
/// one compare-and-set changes. The share is a record of the zone besides, of a type and a name of
/// its own, so that it comes in answers and in feeds, and has a title: it tells of the head. The
/// head changes first, the record after it. Where a process ends in between, the head is right: a
/// participant that was removed reads nothing more, one that was added can accept; saving the share
/// again, or deleting it again, makes the record follow.
///
/// What a share protects, and what it does not:
///
/// - A zone's keys are wrapped for a participant under keys that the participant alone has, and
///   signed by the owner. Public keys are vouched for by a key of the container, which a backend
///   does not have. Whoever has the container's secret, as a gateway has it, can put public keys of
///   their own into the directory, and be shared with in the place of others from then on.
/// - Removing a participant begins an epoch of the zone's keys. What is written from then on does
///   not open under keys that the participant kept. What was written before does, until it is
///   written anew, and so do files that it held the keys of: who has read something has it.
/// - A participant that leaves cannot make keys for the others. The owner's next change of the zone
///   begins the epoch; until then records are sealed under a key that the one who left has kept.
/// - A participant that may only read has the zone's keys too: what it writes is refused by the
///   core, and not by the seal.
/// - A backend can withhold a share, and put back a whole former head, with the participants of
///   that time.
package struct ZoneSharing: Hashable, Sendable {
    /// The name of the record that a zone's share is.
    package static let recordName = "cloudkit.zoneshare"

    package let owner: AccountIdentifier
    package let zone: RandomIdentifier
    package let participants: [AccountIdentifier: ShareParticipant]

    init(_ owner: AccountIdentifier, _ zone: RandomIdentifier, _ share: ZoneShare) {
        (self.owner, self.zone, participants) = (owner, zone, share.participants)
    }
}

/// Names a share to those who are to accept it: opaque, and vouched for by the container.
///
///     bytes  field
///         1  version: 1
///        16  owner
///        16  incarnation of the zone
///        32  HMAC of all that, under the container's key for the directory
///
/// It opens nothing: only those may accept a share whom its owner has named.
struct ShareToken: Hashable {
    private static let version: UInt8 = 1

    let owner: AccountIdentifier
    let zone: RandomIdentifier

    init(_ sharing: ZoneSharing) { (owner, zone) = (sharing.owner, sharing.zone) }

    /// As clients keep it: 130 digits of 16.
    func text(_ container: ContainerKeys) throws(RecordError) -> String {
        Hexadecimal.text(
            try Self.voucher(container)
                .vouched([Self.version] + owner.identifier.bytes + zone.bytes))
    }

    /// - Throws: `unknownItem` for a text that is none.
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
