/// The state that a ``CKShare`` has beyond that of any record.
struct ShareState: Sendable {
    /// The share's owner, token, participants and invitations as last read or saved; `nil` for a
    /// new share.
    var base: ToldShare?
    /// The invitations that nobody has taken, and all participants except the owner.
    var participants: [CKShare.Participant] = []
    /// The root of the records that a new share shares; `nil` if it shares a whole zone.
    var root: CKRecordID?
    /// Whether a participant was added or removed since the share was last read or saved.
    var isChanged = false
    var publicPermission = CKShare.ParticipantPermission.none

    init() {}

    /// The state of a share that was read; `nil` for other records.
    init?(_ record: Record, _ core: RecordCore?) {
        guard record.isShare else { return nil }
        base = record.toldShare(core)
        participants = (base?.participants ?? [:])
            .sorted { $0.key.userRecordName < $1.key.userRecordName }
            .map { CKShare.Participant($0.key, $0.value) }
        participants += (base?.invitations ?? [:]).sorted { $0.key.text < $1.key.text }
            .map { CKShare.Participant(invitation: $0.key, $0.value.wish) }
    }

    /// The token of the invitation with this participant's identifier.
    func token(of participantID: String) -> String? {
        RandomIdentifier(text: participantID).flatMap { base?.invitations[$0]?.token }
    }

    /// The wanted invitations; `nil` to leave them as they are.
    ///
    /// - Throws: `invalidArguments` for an invalid permission.
    func wantedInvitations() throws(RecordError) -> [RandomIdentifier: RecordChange.InvitationWish]?
    {
        var wanted: [RandomIdentifier: RecordChange.InvitationWish] = [:]
        for participant in participants {
            guard let (identifier, expiry) = participant.invitation else { continue }
            guard let permission = SharePermission(participant.permission) else {
                throw RecordError(
                    .invalidArguments, "invite to a share: a participant has to be able to read")
            }
            wanted[identifier] = .init(permission, expiry: expiry)
        }
        let former = base?.invitations.mapValues(\.wish)
        return wanted == former ?? [:] ? nil : wanted
    }

    /// The wanted participants; `nil` to leave them as they are.
    ///
    /// - Throws: `invalidArguments` for an invalid permission.
    func wanted() throws(RecordError) -> [AccountIdentifier: SharePermission]? {
        var wanted: [AccountIdentifier: SharePermission] = [:]
        for participant in participants {
            guard let account = participant.account else { continue }
            switch participant.permission {
            case .readOnly: wanted[account] = .readOnly
            case .readWrite: wanted[account] = .readWrite
            case .none, .unknown:
                throw RecordError(
                    .invalidArguments,
                    "share with \(account.userRecordName): a participant has to be able to read"
                )
            }
        }
        let former = base?.participants.mapValues(\.permission)
        return isChanged || wanted != former ? wanted : nil
    }

    /// Adopts the saved state.
    ///
    /// - Parameter sent: the state that was saved. If participants were added or removed after it
    ///   was sent, that change remains to be saved.
    mutating func settle(_ sent: ShareState, _ saved: Record, _ core: RecordCore?) {
        guard var fresh = ShareState(saved, core) else { return }
        if !participants.elementsEqual(sent.participants, by: ===) {
            (fresh.participants, fresh.isChanged) = (participants, true)
        }
        (fresh.publicPermission, fresh.root) = (publicPermission, root)
        self = fresh
    }
}
