/// What a ``CKShare`` has besides what records have.
struct ShareState: Sendable {
    /// Who takes part as it was read or saved last; `nil` for a new share.
    var base: ZoneSharing?
    /// What it is accepted by.
    var token: String?
    /// All besides the owner.
    var participants: [CKShare.Participant] = []
    /// Whether somebody was added or taken out since.
    var isChanged = false
    var publicPermission = CKShare.ParticipantPermission.none

    init() {}

    /// A share that was read; `nil` for a record that is none.
    init?(_ record: Record, _ core: RecordCore?) {
        guard record.isShare else { return nil }
        base = record.sharing
        // It is accepted by nothing where the container's keys are gone.
        token = record.sharing.flatMap { sharing in try? core?.shares.token(of: sharing) }
        participants = (record.sharing?.participants ?? [:])
            .sorted { $0.key.userRecordName < $1.key.userRecordName }
            .map { CKShare.Participant($0.key, $0.value) }
    }

    /// Who is to take part; `nil` where that is to stay as it is.
    ///
    /// - Throws: `invalidArguments` for a permission that no participant has.
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
                    "share with \(account.userRecordName): a participant reads, or reads and writes"
                )
            }
        }
        let former = base?.participants.mapValues(\.permission)
        return isChanged || wanted != former ? wanted : nil
    }

    /// Takes over what was saved.
    ///
    /// - Parameter sent: what the save was made of: who was added or taken out since stays to be
    ///   saved.
    mutating func settle(_ sent: ShareState, _ saved: Record, _ core: RecordCore) {
        guard var fresh = ShareState(saved, core) else { return }
        if !participants.elementsEqual(sent.participants, by: ===) {
            (fresh.participants, fresh.isChanged) = (participants, true)
        }
        fresh.publicPermission = publicPermission
        self = fresh
    }
}
