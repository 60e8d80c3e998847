public import Foundation

/// Shares: who can be named, and what it takes to take part.
extension CKContainer {
    /// A user as one who is to take part in a share; may read, unless another permission is set.
    ///
    /// - Throws: ``CKError``: `participantMayNeedVerification` where the user has never signed in
    ///   here, so that nothing can be sealed for them; `unknownItem` for a name that is no user's;
    ///   `notAuthenticated`, `badContainer`.
    public func shareParticipant(
        forUserRecordID userRecordID: CKRecord.ID
    ) async throws -> CKShare.Participant {
        try await privateCloudDatabase.read { view throws(RecordError) in
            let name = userRecordID.recordName
            guard let account = AccountIdentifier(userRecordName: name) else {
                throw RecordError(.unknownItem, "share with \(name.told): it is no user")
            }
            _ = try view.core.directory.keys(of: account)
            return CKShare.Participant(new: account)
        }
    }

    /// What a share is, for somebody whom its owner has named.
    ///
    /// - Parameter url: ``CKShare/url``.
    /// - Throws: ``CKError``: `unknownItem` where there is no such share, and for everybody else;
    ///   `notAuthenticated`, `badContainer`.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        guard let token = CKShare.token(of: url) else {
            throw CKError(.unknownItem, "use a share: the URL is none of a share")
        }
        return try await sharedCloudDatabase.read { view throws(RecordError) in
            let found = try view.core.shares.invitation(token, view.session)
            return CKShare.Metadata(found, view, token)
        }
    }

    /// Takes part in a share from here on: its zone is in ``sharedCloudDatabase``.
    ///
    /// - Returns: the share.
    /// - Throws: ``CKError``: as ``shareMetadata(for:)``; `invalidArguments` for the owner;
    ///   `internalError` where the owner has not signed the zone's keys.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        let token = metadata.token
        return try await sharedCloudDatabase.write { view throws(RecordError) in
            CKShare.Metadata(try view.core.shares.accept(token, view.session), view, token).share
        }
    }
}

extension CKShare {
    /// A share, and what it is to whoever has asked for it.
    public final class Metadata: NSObject, Sendable {
        /// The container that it is of.
        public let containerIdentifier: String
        /// The share itself.
        public let share: CKShare
        /// Who owns what is shared.
        public let ownerIdentity: CKUserIdentity
        /// In which capacity whoever has asked takes part.
        public let participantRole: ParticipantRole
        /// Whether whoever has asked has accepted.
        public let participantStatus: ParticipantAcceptanceStatus
        /// What whoever has asked may do.
        public let participantPermission: ParticipantPermission
        let token: String

        init(_ found: ShareInvitation, _ view: DatabaseView, _ token: String) {
            containerIdentifier = view.core.place.container
            let id = found.record.identifier.recordID(home: view.home)
            share = CKShare(found.record, id, viewer: view.home, AssetShelf(view.core))
            ownerIdentity = share.owner.userIdentity
            participantRole = found.permission == nil ? .owner : .privateUser
            participantStatus = found.acceptance.map { .init($0) } ?? .accepted
            participantPermission = found.permission.map { .init($0) } ?? .readWrite
            self.token = token
        }

        /// The share, for people.
        public override var description: String { "metadata of \(share)" }
    }
}
