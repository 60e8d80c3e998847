internal import BullaRecords
internal import BullaRecordsWeb

/// The shares of a service's user.
struct RemoteSharing: RecordSharing {
    private let database: RemoteDatabase

    init(_ database: RemoteDatabase) { self.database = database }

    func check(_ account: AccountIdentifier) throws(RecordError) {
        let found = try database.reader().users(database.perform(.discover(account)))
        guard found.contains(account) else {
            throw RecordError(
                .participantUnknown,
                "share with \(account.userRecordName): the service has no keys of this account")
        }
    }

    func share(_ token: String) throws(RecordError) -> ShareInvitation {
        try invitation(.share(token, accepts: false))
    }

    func accept(_ token: String) throws(RecordError) -> ShareInvitation {
        try invitation(.share(token, accepts: true))
    }

    private func invitation(_ request: ClientRequest) throws(RecordError) -> ShareInvitation {
        let assets = database.source()
        switch try database.reader(assets).share(database.perform(request)) {
        case .failure(let error): throw RecordError(error)
        case .success(let found):
            return ShareInvitation(
                zone: found.record.record.zone, record: try Record(found.record, assets: assets),
                root: found.root, permission: found.permission, acceptance: found.acceptance)
        }
    }
}
