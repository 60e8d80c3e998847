public import Foundation

/// The name of the record that the share of a zone as a whole is.
public let CKRecordNameZoneWideShare = ZoneSharing.recordName
/// The type of the records that shares are.
public let CKRecordTypeShare = SystemType.share

/// A share: a record that says with whom its owner shares a zone.
///
/// It is made, saved, fetched and deleted as other records are. Who takes part accepts it by its
/// ``url``, and finds the zone in ``CKContainer/sharedCloudDatabase`` from then on.
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
/// The zone's keys are sealed for each participant. Removing one gives the zone other keys: what is
/// saved from then on does not open under those that the participant may have kept, and what was
/// saved before does until it is saved again. Whoever has read something has it.
public final class CKShare: CKRecord, @unchecked Sendable {
    // `@unchecked`: it adds nothing to what a record keeps.

    /// The names of fields that every share may have.
    public enum SystemFieldKey {
        /// What people call what is shared.
        public static let title = "cloudkit.title"
        /// Which kind of thing is shared, as a uniform type identifier.
        public static let shareType = "cloudkit.type"
        /// A small picture of it.
        public static let thumbnailImageData = "cloudkit.thumbnailImageData"
    }

    /// What a participant may do.
    public enum ParticipantPermission: Int, CaseIterable, Sendable {
        /// It is not known.
        case unknown = 0
        /// Nothing.
        case none = 1
        /// Read.
        case readOnly = 2
        /// Read, save and delete.
        case readWrite = 3
    }

    /// Whether a participant takes part.
    public enum ParticipantAcceptanceStatus: Int, CaseIterable, Sendable {
        /// It is not known: the share was not saved.
        case unknown = 0
        /// The participant was named, and has not accepted.
        case pending = 1
        /// The participant has accepted.
        case accepted = 2
        /// The participant was removed.
        case removed = 3
    }

    /// In which capacity somebody takes part.
    public enum ParticipantRole: Int, CaseIterable, Sendable {
        /// It is not known.
        case unknown = 0
        /// The zone is the participant's.
        case owner = 1
        /// The owner has named the participant.
        case privateUser = 3
        /// Anybody who has the URL: there is none in this version.
        case publicUser = 4
    }

    /// A share of a zone as a whole, with nobody yet.
    public convenience init(recordZoneID: CKRecordZone.ID) {
        self.init(CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
    }

    /// A share of one record and those that belong to it: saving it is refused.
    ///
    /// It needs share keys of its own, which are not there yet. Share the zone as a whole.
    public convenience init(rootRecord: CKRecord) {
        self.init(rootRecord: rootRecord, shareID: CKRecord.ID(zoneID: rootRecord.recordID.zoneID))
    }

    /// As ``init(rootRecord:)``, under a name.
    public convenience init(rootRecord: CKRecord, shareID: CKRecord.ID) {
        self.init(shareID)
        update {
            $0.refusals[Self.rootKey] =
                "a share of one record needs share keys of its own; share the zone as a whole"
        }
    }

    private convenience init(_ id: CKRecord.ID) {
        var state = RecordState()
        state.sharing = ShareState()
        self.init(CKRecordTypeShare, id, state)
    }

    // No fields are called so.
    private static let rootKey = "___rootRecord"
    private static let publicKey = "___publicPermission"
    private static let memberKey = "___participants"

    /// Another share of the same name, with the same values and the same changes.
    public override func copy(with zone: NSZone? = nil) -> Any {
        CKShare(recordType, recordID, snapshot)
    }

    private var sharing: ShareState { snapshot.sharing ?? ShareState() }

    /// The owner, and all whom the owner has named.
    public var participants: [Participant] { [owner] + sharing.participants }

    /// The owner of the zone.
    public var owner: Participant {
        Participant(owner: sharing.base?.owner, viewer: snapshot.metadata?.viewer)
    }

    /// Whoever has read the share, as one who takes part; the owner before it was saved.
    public var currentUserParticipant: Participant? {
        let viewer = snapshot.metadata?.viewer
        guard let base = sharing.base, base.owner != viewer else { return owner }
        return sharing.participants.first { $0.account == viewer }
    }

    /// Names somebody, who takes part once the share is saved and then accepted.
    ///
    /// One who was named already, and whose keys were reset since, is named anew by it.
    ///
    /// - Parameter participant: from ``CKContainer/shareParticipant(forUserRecordID:)``.
    public func addParticipant(_ participant: Participant) {
        guard participant.role != .owner else { return }
        update { state in
            state.sharing?.participants.removeAll { $0.account == participant.account }
            state.sharing?.participants.append(participant)
            state.sharing?.isChanged = true
        }
    }

    /// Takes somebody out; saving refuses to take out the owner.
    public func removeParticipant(_ participant: Participant) {
        update { state in
            guard participant.role != .owner else {
                state.refusals[Self.memberKey] = "the owner of a zone takes part in its share"
                return
            }
            state.sharing?.participants.removeAll { $0.account == participant.account }
            state.sharing?.isChanged = true
        }
    }

    /// What everybody may do who has the URL: always nothing.
    ///
    /// Another permission is refused when the share is saved: the zone's keys are sealed for
    /// those whom the owner names, and for nobody else.
    public var publicPermission: ParticipantPermission {
        get { snapshot.sharing?.publicPermission ?? .none }
        set {
            update { state in
                state.sharing?.publicPermission = newValue
                state.refusals[Self.publicKey] =
                    newValue == .none
                    ? nil : "a zone's keys are sealed for whom the owner names, and for nobody else"
            }
        }
    }

    /// What the share is accepted by; `nil` before it was saved.
    ///
    /// It opens nothing: only those accept whom the owner has named.
    public var url: URL? { sharing.token.flatMap { URL(string: Self.scheme + $0) } }

    private static let scheme = "bulla-share:"

    /// What a URL names a share by; `nil` where it names none.
    static func token(of url: URL) -> String? {
        let text = url.absoluteString
        return text.hasPrefix(scheme) ? String(text.dropFirst(scheme.utf8.count)) : nil
    }
}
