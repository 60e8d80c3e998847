public import Foundation

/// The name of the share record of a whole zone.
public let CKRecordNameZoneWideShare = ZoneSharing.recordName
/// The type of share records.
public let CKRecordTypeShare = SystemType.share

/// A share: a record that says with whom its owner shares a zone, or one record and those below it.
///
/// You create, save, fetch and delete it like other records. A participant accepts it through its
/// ``url``, and from then on finds the zone in ``CKContainer/sharedCloudDatabase``, with all of the
/// zone's records or only the shared ones.
///
/// ```swift
/// let share = CKShare(recordZoneID: zone.zoneID)
/// share[CKShare.SystemFieldKey.title] = "Groceries"
/// let friend = try await container.shareParticipant(forUserRecordID: user)
/// friend.permission = .readWrite
/// share.addParticipant(friend)
/// try await container.privateCloudDatabase.save(share)
/// ```
///
/// The keys of the zone, or of the share, are sealed for each participant. When you remove a
/// participant, the zone or the share gets new keys. Keys that the participant may have kept do not
/// open what is saved from then on; they still open what was saved before, until it is saved again.
/// Whatever the participant has read stays known to them.
public final class CKShare: CKRecord, @unchecked Sendable {
    // `@unchecked`: the class adds no state to that of a record.

    /// The names of fields that every share can have.
    public enum SystemFieldKey {
        /// The title of the shared data.
        public static let title = "cloudkit.title"
        /// The kind of the shared data, as a uniform type identifier.
        public static let shareType = "cloudkit.type"
        /// A small picture of the shared data.
        public static let thumbnailImageData = "cloudkit.thumbnailImageData"
    }

    /// The permission of a participant.
    public enum ParticipantPermission: Int, CaseIterable, Sendable {
        /// Unknown.
        case unknown = 0
        /// No access.
        case none = 1
        /// Reading.
        case readOnly = 2
        /// Reading, saving and deleting.
        case readWrite = 3
    }

    /// Whether a participant has accepted the share.
    public enum ParticipantAcceptanceStatus: Int, CaseIterable, Sendable {
        /// Unknown, because the share has not been saved.
        case unknown = 0
        /// The participant was added, and has not accepted.
        case pending = 1
        /// The participant has accepted.
        case accepted = 2
        /// The participant was removed.
        case removed = 3
    }

    /// The role of a participant.
    public enum ParticipantRole: Int, CaseIterable, Sendable {
        /// Unknown.
        case unknown = 0
        /// The owner of the zone.
        case owner = 1
        /// A participant whom the owner has added.
        case privateUser = 3
        /// Anybody who has the URL; does not occur in this version.
        case publicUser = 4
    }

    /// A share of a whole zone, without participants.
    public convenience init(recordZoneID: CKRecordZone.ID) {
        self.init(CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    }

    /// A share of one record, and of all records below it by ``CKRecord/parent``.
    ///
    /// Save the share together with the record. Participants see the record, those below it and the
    /// share, and nothing else of the zone. A record can be in only one share, and a zone is shared
    /// either as a whole or record by record.
    public convenience init(rootRecord: CKRecord) {
        self.init(rootRecord: rootRecord, shareID: CKRecord.ID(zoneID: rootRecord.recordID.zoneID))
    }

    /// A share as ``init(rootRecord:)`` makes it, but with the identifier `shareID`, which must be
    /// in the record's zone.
    public convenience init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        self.init(shareID)
        update {
            $0.sharing?.root = rootRecord.recordID
            guard rootRecord.recordID.zoneID != shareID.zoneID else { return }
            $0.refusals[Self.rootKey] = "a share is in the zone of the record that it shares"
        }
    }

    private convenience init(_ id: CKRecord.ID) {
        var state = RecordState()
        state.sharing = ShareState()
        self.init(CKRecordTypeShare, id, state)
    }

    // Keys in `RecordState.refusals`; no field has one of these names.
    private static let rootKey = "___rootRecord"
    private static let publicKey = "___publicPermission"
    private static let memberKey = "___participants"

    /// A copy with the same name, the same values and the same changes.
    public override func copy(with zone: NSZone? = nil) -> Any {
        CKShare(recordType, recordID, snapshot)
    }

    private var sharing: ShareState { snapshot.sharing ?? ShareState() }

    /// The owner, and all participants that the owner has added.
    public var participants: [Participant] { [owner] + sharing.participants }

    /// The owner of the zone.
    public var owner: Participant {
        Participant(owner: sharing.base?.owner, viewer: snapshot.metadata?.viewer)
    }

    /// The participant that stands for the user who has read the share; `nil` if that user has not
    /// yet taken an invitation.
    ///
    /// If the share was not saved yet, this is the owner.
    public var currentUserParticipant: Participant? {
        let viewer = snapshot.metadata?.viewer
        guard let base = sharing.base, base.owner != viewer else { return owner }
        return sharing.participants.first { $0.account != nil && $0.account == viewer }
    }

    /// Adds a participant, who takes part once you have saved the share and the participant has
    /// accepted it.
    ///
    /// If the participant was added before, and has had a reset of keys since, this adds the new
    /// keys.
    ///
    /// - Parameter participant: from ``CKContainer/shareParticipant(forUserRecordID:)``, or from
    ///   ``Participant/oneTimeURLParticipant(expiring:)``.
    public func addParticipant(_ participant: Participant) {
        guard participant.role != .owner else { return }
        update { state in
            state.sharing?.participants.removeAll { $0.isSame(as: participant) }
            state.sharing?.participants.append(participant)
            state.sharing?.isChanged = true
        }
    }

    /// Removes a participant; if you remove the owner, saving the share fails.
    public func removeParticipant(_ participant: Participant) {
        update { state in
            guard participant.role != .owner else {
                state.refusals[Self.memberKey] = "the owner of a zone cannot be removed"
                return
            }
            state.sharing?.participants.removeAll { $0.isSame(as: participant) }
            state.sharing?.isChanged = true
        }
    }

    /// The permission of everybody who has the URL: always none.
    ///
    /// Saving a share with another permission fails, since the zone's keys are sealed only for
    /// participants whom the owner adds.
    public var publicPermission: ParticipantPermission {
        get { snapshot.sharing?.publicPermission ?? .none }
        set {
            update { state in
                state.sharing?.publicPermission = newValue
                state.refusals[Self.publicKey] =
                    newValue == .none
                    ? nil : "a zone's keys are sealed only for participants that the owner names"
            }
        }
    }

    /// The URL through which participants accept the share; `nil` until the share is saved.
    ///
    /// The URL opens nothing by itself: only users whom the owner has added can accept.
    public var url: URL? { sharing.base?.token.flatMap { URL(string: Self.scheme + $0) } }

    /// The URL through which any one user can accept the share; `nil` before the share is saved,
    /// after somebody has accepted, and for everybody but the owner.
    ///
    /// - Parameter participantID: that of a participant from
    ///   ``Participant/oneTimeURLParticipant(expiring:)``.
    public func oneTimeURL(for participantID: String) -> URL? {
        sharing.token(of: participantID).flatMap { URL(string: Self.scheme + $0) }
    }

    private static let scheme = "bulla-share:"

    /// The token in a share's URL; `nil` if there is none.
    static func token(of url: URL) -> String? {
        let text = url.absoluteString
        return text.hasPrefix(scheme) ? String(text.dropFirst(scheme.utf8.count)) : nil
    }
}
