public import Foundation
internal import Synchronization

extension CKShare {
    /// One who takes part in a share.
    public final class Participant: NSObject, Sendable {
        /// Who it is.
        public let userIdentity: CKUserIdentity
        /// In which capacity.
        public let role: ParticipantRole
        /// Whether the participant has accepted; the owner always has.
        public let acceptanceStatus: ParticipantAcceptanceStatus
        /// `nil` for whoever is to be the owner of a share that was not saved.
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

        /// One who is to be named.
        convenience init(new account: AccountIdentifier) {
            self.init(account, CKUserIdentity(account), .privateUser, .unknown, .readOnly)
        }

        /// One who was.
        convenience init(_ account: AccountIdentifier, _ participant: ShareParticipant) {
            self.init(
                account, CKUserIdentity(account), .privateUser, .init(participant.acceptance),
                .init(participant.permission))
        }

        /// What the participant may do, from the share's next save on.
        public var permission: ParticipantPermission {
            get { currentPermission.withLock { $0 } }
            set { if role != .owner { currentPermission.withLock { $0 = newValue } } }
        }

        /// Whether both are the same account, in the same capacity and to the same extent.
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
