internal import BullaRecords
internal import BullaRecordsWeb

/// A database of a service, with its zones, as the user of a session sees it.
struct RemoteDatabase: RecordDatabase {
    let client: RemoteClient
    let scope: DatabaseScope
    let session: RemoteSession?
    /// The owner of the zones, as in a ``DatabaseView``.
    let owner: AccountIdentifier?
    /// The default limits; the service refuses a request that exceeds the service's own limits.
    let limits = RecordLimits()
    private(set) var uploads = RemoteReceipts()

    init(_ client: RemoteClient, _ scope: DatabaseScope, _ session: RemoteSession?) {
        let owner = scope == .public ? nil : session?.account
        self.init(client, scope, session, owner: owner)
    }

    private init(
        _ client: RemoteClient, _ scope: DatabaseScope, _ session: RemoteSession?,
        owner: AccountIdentifier?
    ) {
        (self.client, self.scope) = (client, scope)
        (self.session, self.owner) = (session, owner)
    }

    var viewer: AccountIdentifier? { session?.account }
    var sharing: any RecordSharing { RemoteSharing(self) }

    func perform(_ request: ClientRequest) throws(RecordError) -> [UInt8] {
        try client.perform(request, scope, session?.token)
    }

    func identifier(of zone: String) -> ZoneIdentifier { ZoneIdentifier(zone, owner: owner) }
}

/// The zones.
extension RemoteDatabase {
    func zones(of owner: AccountIdentifier?) throws(RecordError) -> RemoteDatabase {
        let owner = owner ?? home
        guard (owner == home) != (scope == .shared) else {
            throw RecordError(.zoneNotFound, "use a zone: its owner has none in this database")
        }
        var database = RemoteDatabase(client, scope, session, owner: owner)
        database.uploads = uploads
        return database
    }

    func zones() throws(RecordError) -> [ZoneIdentifier] {
        let zones = try reader().zones(perform(.listZones))
        return zones.compactMap { if case .zone(let zone, _) = $0 { zone } else { nil } }
    }

    func checkZone(_ name: String) throws(RecordError) {
        try check(perform(.lookUp(identifier(of: name))), name)
    }

    func createZone(_ name: String) throws(RecordError) {
        try check(perform(.change(identifier(of: name), .create)), name)
    }

    func deleteZone(_ name: String) throws(RecordError) {
        try check(perform(.change(identifier(of: name), .delete)), name)
    }

    func verifyZone(_ name: String) throws(RecordError) -> Int {
        throw RecordError(
            .permissionFailure, "verify zone \(name.told): the operator of a service does that")
    }

    /// Throws the error in an answer about one zone.
    private func check(_ answer: [UInt8], _ name: String) throws(RecordError) {
        let zones = try reader().zones(answer)
        guard zones.count == 1 else { throw RemoteFault.count("use zone \(name.told)") }
        if case .failed(_, let error) = zones[0] { throw RecordError(error) }
    }

    func databaseChanges(
        since token: [UInt8]?, limit: Int?
    ) throws(RecordError) -> DatabaseChanges {
        let answer = try reader().databaseChanges(
            perform(.databaseChanges(since: token, limit: limit)))
        guard !answer.moreComing || !answer.zones.isEmpty else {
            throw RemoteFault.noProgress("follow a database")
        }
        var changes = DatabaseChanges()
        for item in answer.zones {
            if let deletion = item.deletion {
                changes.gone.append((item.zone, DatabaseChanges.Reason(deletion)))
            } else {
                changes.changed.append(item.zone)
            }
        }
        (changes.token, changes.hasMore) = (answer.syncToken, answer.moreComing)
        return changes
    }
}

extension DatabaseChanges.Reason {
    fileprivate init(_ reason: DatabaseChangesAnswer.Item.DeletionReason) {
        switch reason {
        case .deleted: self = .deleted
        case .purged: self = .purged
        case .encryptedDataReset: self = .encryptedDataReset
        }
    }
}

/// Errors for answers that a correct service, such as `bulla-records`, never gives.
enum RemoteFault {
    static func count(_ attempt: String) -> RecordError {
        RecordError(.internalError, "\(attempt): the service has answered more or less than asked")
    }

    static func noProgress(_ attempt: String) -> RecordError {
        RecordError(.internalError, "\(attempt): the service announces more, and tells nothing")
    }
}
