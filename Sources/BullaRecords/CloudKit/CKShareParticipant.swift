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
        /// The account; `nil` for the future owner of an unsaved share.
        let account: AccountIdentifier?
        private let currentPermission: Mutex<ParticipantPermission>

        private init(
            _ account: AccountIdentifier?, _ identity: CKUserIdentity, _ role: ParticipantRole,
            _ status: ParticipantAcceptanceStatus, _ permission: ParticipantPermission
        ) {
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

        /// A participant who was added.
        convenience init(_ account: AccountIdentifier, _ participant: ShareParticipant) {
            self.init(
                account, CKUserIdentity(account), .privateUser, .init(participant.acceptance),
                .init(participant.permission))
        }

        /// The participant's permission, which applies after the share's next save.
        public var permission: ParticipantPermission {
            get { currentPermission.withLock { $0 } }
            set { if role != .owner { currentPermission.withLock { $0 = newValue } } }
        }

        /// Whether both have the same account, role, permission and acceptance status.
        public override func isEqual(_ object: Any?) -> Bool {
            guard let other = object as? Participant else { return false }
            return account == other.account && role == other.role
                && permission == other.permission && acceptanceStatus == other.acceptanceStatus
        }

        /// A hash of the account.
        public override var hash: Int { account.hashValue }

        /// The name of the user record, for people.
        public override var description: String { "participant \(userIdentity)" }
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
