extension DatabaseView: RecordDatabase {
    package var viewer: AccountIdentifier? { session.account }
    package var limits: RecordLimits { core.limits }
    package var sharing: any RecordSharing { SessionSharing(core, session) }

    package func checkZone(_ name: String) throws(RecordError) {
        // Except in the shared database, looking at the default zone would create it.
        if name != ZoneIdentifier.defaultName || scope == .shared { _ = try zone(name) }
    }

    package func verifyZone(_ name: String) throws(RecordError) -> Int {
        let verification = try verify(name)
        if let fault = verification.fault(in: name) { throw fault }
        return verification.recordCount
    }

    package func records(
        _ names: [String], in zone: String, fields: Set<String>?
    ) throws(RecordError) -> [Result<Record, RecordError>] {
        try records(names, in: zone)
    }

    package func changes(
        in zone: String, since token: [UInt8]?, limit: Int?, fields: Set<String>?,
        hasRecords: Bool
    ) throws(RecordError) -> ZoneChanges {
        try changes(in: zone, since: token, limit: limit, hasRecords: hasRecords)
    }

    package func query(
        _ query: RecordQuery, in zone: String, after mark: [UInt8]?, limit: Int?,
        fields: Set<String>?
    ) throws(RecordError) -> QueryPage {
        try self.query(query, in: zone, after: mark, limit: limit)
    }

    package func assets(of record: Record) -> any AssetSource {
        KeptAssets(core, Database(core.place, owner: record.identifier.zone.owner))
    }

    package func has(assetsOf source: any AssetSource) -> Bool {
        guard let assets = source as? KeptAssets else { return false }
        return assets.core === core && assets.database == database
    }

    package func beginUpload(for field: AssetField) throws(RecordError) -> any AssetSink {
        try beginUpload()
    }
}

/// Sharing on behalf of a session's user.
private struct SessionSharing: RecordSharing {
    private let core: RecordCore
    private let session: Session

    init(_ core: RecordCore, _ session: Session) { (self.core, self.session) = (core, session) }

    func check(_ account: AccountIdentifier) throws(RecordError) {
        _ = try core.directory.keys(of: account)
    }

    func share(_ token: String) throws(RecordError) -> ShareInvitation {
        try core.shares.invitation(token, session)
    }

    func accept(_ token: String) throws(RecordError) -> ShareInvitation {
        try core.shares.accept(token, session)
    }
}

/// The assets of one owner's records; the assets of another owner are in another database.
final class KeptAssets: AssetSource {
    let core: RecordCore
    let database: Database

    init(_ core: RecordCore, _ database: Database) {
        (self.core, self.database) = (core, database)
    }

    func read(_ asset: AssetDescriptor, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        try AssetReader(core, database, asset).read(nil, body)
    }
}

extension AssetUpload: AssetSink {}
