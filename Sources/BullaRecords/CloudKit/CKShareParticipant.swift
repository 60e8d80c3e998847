public import Foundation
internal import Synchronization

extension CKShare {
    /// A participant of a share.
    public final class Participant: NSObject, Sendable {
        /// The participant's identity.
        public let userIdentity: CKUserIdentity
        /// The participant's role.
        public let role: ParticipantRole
        /// Whether the participant has accepted; the owner always has.
        public let acceptanceStatus: ParticipantAcceptanceStatus
        /// The account; `nil` for the future owner of an unsaved share, and for an invitation.
        let account: AccountIdentifier?
        /// For an invitation that nobody has taken, its identifier, and its expiry in milliseconds
        /// since 1970; `nil` for other participants.
        let invitation: (identifier: RandomIdentifier, expiry: Int64)?
        private let currentPermission: Mutex<ParticipantPermission>

        private init(
            _ account: AccountIdentifier?, _ identity: CKUserIdentity, _ role: ParticipantRole,
            _ status: ParticipantAcceptanceStatus, _ permission: ParticipantPermission,
            invitation: (identifier: RandomIdentifier, expiry: Int64)? = nil
        ) {
            self.invitation = invitation
            (self.account, userIdentity, self.role) = (account, identity, role)
            acceptanceStatus = status
            currentPermission = Mutex(permission)
        }

        /// The owner of a share.
        convenience init(owner: AccountIdentifier?, viewer: AccountIdentifier?) {
            let name =
                owner.flatMap { $0 == viewer ? nil : $0.userRecordName } ?? CKCurrentUserDefaultName
            self.init(
                owner, CKUserIdentity(CKRecord.ID(recordName: name)), .owner, .accepted, .readWrite)
        }

        /// A participant to be added.
        convenience init(new account: AccountIdentifier) {
            self.init(account, CKUserIdentity(account), .privateUser, .unknown, .readOnly)
        }

        /// A participant who has already been added.
        convenience init(_ account: AccountIdentifier, _ participant: ToldShare.Member) {
            self.init(
                account, CKUserIdentity(account), .privateUser, .init(participant.acceptance),
                .init(participant.permission))
        }

        /// An invitation to a share that has not been saved.
        private convenience init(inviting identifier: RandomIdentifier, until expiry: Date) {
            // Milliseconds that do not fit in 64 bits become the least or the greatest number.
            let time = expiry.milliseconds ?? (expiry.timeIntervalSince1970 > 0 ? .max : .min)
            self.init(
                nil, CKUserIdentity(CKRecord.ID(recordName: identifier.text)), .privateUser,
                .unknown, .readOnly, invitation: (identifier, time))
        }

        /// An invitation that nobody has taken.
        convenience init(
            invitation identifier: RandomIdentifier, _ invitation: RecordChange.InvitationWish
        ) {
            self.init(
                nil, CKUserIdentity(CKRecord.ID(recordName: identifier.text)), .privateUser,
                .pending, .init(invitation.permission), invitation: (identifier, invitation.expiry))
        }

        /// A participant whom the owner cannot name: the first user who accepts the share through
        /// the URL of ``CKShare/oneTimeURL(for:)``.
        ///
        /// The participant may only read the share, unless you set ``permission``.
        ///
        /// Whoever gets hold of the URL can use it, until somebody has accepted, the invitation
        /// expires, or you remove the participant and save the share.
        ///
        /// - Parameter expiration: until when the URL can be used; by default, two weeks from now.
        /// - Throws: ``CKError`` if the system provides no random bytes.
        public static func oneTimeURLParticipant(
            expiring expiration: Date = Date(timeIntervalSinceNow: 14 * 86_400)
        ) throws -> Participant {
            do throws(RecordError) {
                return Participant(inviting: try .new(), until: expiration)
            } catch { throw CKError(error) }
        }

        /// Identifies the participant in its share.
        public var participantID: String {
            account?.userRecordName ?? userIdentity.userRecordID?.recordName
                ?? CKCurrentUserDefaultName
        }

        /// The participant's permission; a change takes effect when the share is saved next.
        public var permission: ParticipantPermission {
            get { currentPermission.withLock { $0 } }
            set { if role != .owner { currentPermission.withLock { $0 = newValue } } }
        }

        /// Whether both have the same account or invitation, and the same role, permission and
        /// acceptance status.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? Participant else { return false }
            return account == other.account && participantID == other.participantID
                && role == other.role
                && permission == other.permission && acceptanceStatus == other.acceptanceStatus
        }

        /// A hash of the account.
        public override var hash: Int { account.hashValue }

        /// The name of the user record, for people.
        public override var description: String { "participant \(userIdentity)" }
    }
}

extension SharePermission {
    /// The permission; `nil` for `none` and `unknown`, which do not permit reading.
    init?(_ permission: CKShare.ParticipantPermission) {
        switch permission {
        case .readOnly: self = .readOnly
        case .readWrite: self = .readWrite
        case .none, .unknown: return nil
        }
    }
}

extension CKShare.ParticipantPermission {
    init(_ permission: SharePermission) {
        switch permission {
        case .readOnly: self = .readOnly
        case .readWrite: self = .readWrite
        }
    }
}

extension CKShare.ParticipantAcceptanceStatus {
    init(_ acceptance: ShareAcceptance) {
        switch acceptance {
        case .pending: self = .pending
        case .accepted: self = .accepted
        }
    }
}

extension CKShare.Participant {
    /// Whether both stand for the same account, or for the same invitation.
    func isSame(as other: CKShare.Participant) -> Bool { participantID == other.participantID }
}
