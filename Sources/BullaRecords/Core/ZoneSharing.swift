internal import Bulla
internal import BullaMemory

/// The share of a zone, or of one record with the records below it, as its participants see it.
///
/// The zone's head has the participants, with the keys of the zone, or of the share, wrapped for
/// each. The head decides who takes part, and one compare-and-set changes it. The share is also a
/// record of the zone, with a type and a name of its own, so that it appears in results and feeds,
/// and has a title; the record mirrors the head. The head changes first, the record afterwards. If
/// a process ends in between, the head is right: a removed participant cannot read any more, and an
/// added one can accept. Saving or deleting the share again brings the record up to date.
///
/// What a share protects, and what it does not:
///
/// - A participant of a record's share gets keys that open the records of this share, and nothing
///   else of the zone.
/// - Keys are wrapped for a participant under keys that only the participant has, and signed by the
///   owner. A key of the container vouches for public keys, and a backend does not have that key.
///   Anyone who has the container's secret, as a gateway does, can put their own public keys into
///   the directory, and then receive what owners share with others.
/// - Removing a participant begins a new epoch of the keys. What is written from then on does not
///   open with keys that the participant kept. What was written before still opens, until it is
///   written again; so do files whose keys the participant held.
/// - A participant who leaves cannot make keys for the others. The owner's next change of the zone
///   begins a new epoch; until then, records are sealed under a key that the former participant may
///   have kept.
/// - A participant who may only read has the same keys as one who may write. So it is the core, and
///   not the seal, that refuses what such a participant writes.
/// - A backend can withhold a share, and can put back an earlier state of the whole zone, with the
///   participants of that time.
package struct ZoneSharing: Hashable, Sendable {
    /// The name of a zone's share record.
    package static let recordName = "cloudkit.zoneshare"

    package let owner: AccountIdentifier
    package let zone: RandomIdentifier
    package let target: ShareTarget
    /// The name of the share's record.
    package let name: String
    /// The name of the root of the shared records; `nil` if the whole zone is shared.
    package let root: String?
    package let participants: [AccountIdentifier: ShareParticipant]
    /// The invitations that nobody has taken.
    package let invitations: [RandomIdentifier: OneTimeInvitation]

    init(_ owner: AccountIdentifier, _ zone: RandomIdentifier, _ share: ZoneShare) {
        (self.owner, self.zone, participants) = (owner, zone, share.participants)
        invitations = share.invitations
        (target, name, root) = (.zone, Self.recordName, nil)
    }

    init(
        _ owner: AccountIdentifier, _ zone: RandomIdentifier, _ identifier: RandomIdentifier,
        _ share: RecordShare
    ) {
        (self.owner, self.zone, participants) = (owner, zone, share.members.participants)
        invitations = share.members.invitations
        (target, name, root) = (.record(identifier), share.name, share.root)
    }
}

/// What a share shares.
package enum ShareTarget: Hashable, Sendable {
    case zone
    /// One record and those below it, with the identifier of the record's share.
    case record(RandomIdentifier)

    /// The identifier of the record's share; `nil` if the whole zone is shared.
    var share: RandomIdentifier? { if case .record(let share) = self { share } else { nil } }
}
