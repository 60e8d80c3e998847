internal import Bulla
internal import BullaCipher
internal import BullaMemory

/// The token that identifies a share to those who can accept it: opaque, and authenticated with the
/// container's key.
///
///     bytes  field
///         1  version: 1 for a zone, 2 for a record; 3 and 4 the same, with an invitation
///        16  owner
///        16  incarnation of the zone
///        16  identifier of the share, if a record is shared, not a zone
///        48  identifier and secret of the invitation, if there is one
///        32  HMAC of all that, under the container's key for the directory
///
/// A token without an invitation opens nothing: only users whom the share's owner has added can
/// accept the share. The first user to present a token with an invitation becomes a participant.
struct ShareToken: Sendable {
    private static let versionOfZone: UInt8 = 1
    private static let versionOfRecord: UInt8 = 2
    private static let isInviting: UInt8 = 2

    let owner: AccountIdentifier
    let zone: RandomIdentifier
    let target: ShareTarget
    let invitation: InvitationSecret?

    init(_ sharing: ZoneSharing) {
        (owner, zone, target) = (sharing.owner, sharing.zone, sharing.target)
        invitation = nil
    }

    init(
        _ sharing: ZoneSharing, _ invitation: RandomIdentifier, _ secret: consuming SecretBytes
    ) {
        (owner, zone, target) = (sharing.owner, sharing.zone, sharing.target)
        self.invitation = InvitationSecret(invitation, secret)
    }

    /// The form that clients store: hexadecimal digits.
    func text(_ container: ContainerKeys) throws(RecordError) -> String {
        var bytes = [Self.versionOfZone] + owner.identifier.bytes + zone.bytes
        if case .record(let share) = target {
            bytes[0] = Self.versionOfRecord
            bytes += share.bytes
        }
        if let invitation {
            bytes[0] += Self.isInviting
            bytes += invitation.identifier.bytes
            bytes += invitation.secret.withView { $0.copied() }
        }
        return Hexadecimal.text(try Self.voucher(container).vouched(bytes))
    }

    /// - Throws: `unknownItem` for an invalid text; `unavailable` if no memory can be locked.
    init(_ text: String, _ container: ContainerKeys) throws(RecordError) {
        guard let bytes = Hexadecimal.bytes(text),
            let body = try Self.voucher(container).body(of: bytes),
            let token = try body.withView({ view throws(RecordError) in try Self.token(view) })
        else { throw ShareInvitations.noShare }
        self = token
    }

    private init(
        _ owner: RandomIdentifier, _ zone: RandomIdentifier, _ target: ShareTarget,
        _ invitation: InvitationSecret?
    ) {
        (self.owner, self.zone) = (AccountIdentifier(owner), zone)
        (self.target, self.invitation) = (target, invitation)
    }

    private static func token(_ view: ByteView) throws(RecordError) -> ShareToken? {
        var cursor = ByteCursor(view)
        guard let version = cursor.next(UInt8.self),
            (versionOfZone...versionOfRecord + isInviting).contains(version),
            let owner = cursor.nextIdentifier(), let zone = cursor.nextIdentifier()
        else { return nil }
        var target = ShareTarget.zone
        if version % isInviting == 0 {
            guard let share = cursor.nextIdentifier() else { return nil }
            target = .record(share)
        }
        var invitation: InvitationSecret?
        if version > isInviting {
            guard let identifier = cursor.nextIdentifier(),
                let secret = cursor.nextView(AccountKeys.serviceKeyByteCount)
            else { return nil }
            invitation = try InvitationSecret(identifier, copying: secret)
        }
        guard cursor.isAtEnd else { return nil }
        return ShareToken(owner, zone, target, invitation)
    }

    private static func voucher(_ container: ContainerKeys) -> Voucher {
        Voucher(
            container.directory, ByteTuple("bulla records share token v1", container.place))
    }
}

/// An invitation's identifier, and its secret, which is wiped when this object is freed.
final class InvitationSecret: Sendable {
    let identifier: RandomIdentifier
    let secret: SecretBytes

    init(_ identifier: RandomIdentifier, _ secret: consuming SecretBytes) {
        self.identifier = identifier
        self.secret = secret
    }

    convenience init(
        _ identifier: RandomIdentifier, copying view: ByteView
    ) throws(RecordError) {
        do throws(CipherError) {
            var secret = try SecretBytes.zeroed(byteCount: view.byteCount)
            secret.withMutableView { $0.copy(view, to: 0) }
            self.init(identifier, secret)
        } catch { throw RecordError.cipher("read a token", error) }
    }
}
