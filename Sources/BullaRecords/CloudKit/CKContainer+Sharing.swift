public import Foundation

/// Sharing: naming participants, and accepting shares.
extension CKContainer {
    /// A participant that stands for a user, and that you can add to a share.
    ///
    /// The participant may only read the share, unless you set ``CKShare/Participant/permission``.
    ///
    /// - Throws: ``CKError``: `participantMayNeedVerification` if the user has never signed in
    ///   here, and therefore has no key to which anything could be sealed; `unknownItem` if the
    ///   name is not a user's; `notAuthenticated`, `badContainer`; also the errors for a service
    ///   that cannot be reached.
    public func shareParticipant(
        forUserRecordID userRecordID: CKRecord.ID
    ) async throws -> CKShare.Participant {
        try await privateCloudDatabase.read { view throws(RecordError) in
            let name = userRecordID.recordName
            guard let account = AccountIdentifier(userRecordName: name) else {
                throw RecordError(.unknownItem, "share with \(name.told): there is no such user")
            }
            try view.sharing.check(account)
            return CKShare.Participant(new: account)
        }
    }

    /// The metadata of a share, for its owner, for a user whom the owner has added, or for one who
    /// has the URL of an invitation that nobody has accepted yet.
    ///
    /// - Parameter url: ``CKShare/url``, or a URL that ``CKShare/oneTimeURL(for:)`` returned.
    /// - Throws: ``CKError``: `unknownItem` if there is no such share, or this user may not see it;
    ///   `notAuthenticated`, `badContainer`.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        guard let token = CKShare.token(of: url) else {
            throw CKError(.unknownItem, "use a share: the URL is not that of a share")
        }
        let container = try open().place.container
        return try await sharedCloudDatabase.read { view throws(RecordError) in
            CKShare.Metadata(try view.sharing.share(token), view, token, in: container)
        }
    }

    /// Accepts a share: from now on, its zone is in ``sharedCloudDatabase``, with the shared
    /// records.
    ///
    /// - Returns: the share.
    /// - Throws: ``CKError``: as ``shareMetadata(for:)``; `invalidArguments` for the owner;
    ///   `internalError` if the owner has not signed the zone's keys.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        let (token, container) = (metadata.token, metadata.containerIdentifier)
        return try await sharedCloudDatabase.write { view throws(RecordError) in
            CKShare.Metadata(try view.sharing.accept(token), view, token, in: container).share
        }
    }
}

extension CKShare {
    /// A share, and the role of the user who asked for it.
    public final class Metadata: NSObject, Sendable {
        /// The identifier of the share's container.
        public let containerIdentifier: String
        /// The share.
        public let share: CKShare
        /// The owner of the share.
        public let ownerIdentity: CKUserIdentity
        /// The root of the shared records; `nil` if the whole zone is shared.
        public let hierarchicalRootRecordID: CKRecord.ID?
        /// The user's role.
        public let participantRole: ParticipantRole
        /// Whether the user has accepted the share.
        public let participantStatus: ParticipantAcceptanceStatus
        /// The user's permission.
        public let participantPermission: ParticipantPermission
        let token: String

        init(
            _ found: ShareInvitation, _ view: any RecordDatabase, _ token: String,
            in container: String
        ) {
            containerIdentifier = container
            let id = found.record.identifier.recordID(home: view.home)
            hierarchicalRootRecordID = found.root.map {
                CKRecord.ID(recordName: $0, zoneID: id.zoneID)
            }
            let shelf = AssetShelf(view.assets(of: found.record))
            share = CKShare(found.record, id, viewer: view.home, shelf)
            ownerIdentity = share.owner.userIdentity
            participantRole = found.permission == nil ? .owner : .privateUser
            participantStatus = found.acceptance.map { .init($0) } ?? .accepted
            participantPermission = found.permission.map { .init($0) } ?? .readWrite
            self.token = token
        }

        /// A human-readable description.
        public override var description: String { "metadata of \(share)" }
    }
}
