#if PostgreSQL
internal import BullaRecords

/// Moves databases into a PostgreSQL database and out of it.
struct PostgreSQLMoves: SiteMoves {
    let backend: PostgreSQLBackend

    func home(of database: Database) throws(RecordError) -> HomeRow? {
        try backend.read("find the home of a database") { connection throws(StatementFailure) in
            try connection.home(of: database)
        }
    }

    func homes(of place: Place) throws(RecordError) -> [Database: HomeRow?] {
        try backend.read("find the homes of databases") { connection throws(StatementFailure) in
            let rows = try connection.run(HomeStatements.homesOfPlace, place.parameters)
            var homes: [Database: HomeRow?] = [:]
            for row in 0..<rows.rowCount {
                let owner = try rows.bytes(row, 0)
                let account = RandomIdentifier(bytes: owner).map { AccountIdentifier($0) }
                guard owner.isEmpty || account != nil else {
                    throw .malformed("an owner does not have 16 bytes")
                }
                let home: HomeRow? = try? rows.home(row, 1)
                homes.updateValue(home, forKey: Database(place, owner: account))
            }
            return homes
        }
    }

    func replaceHome(
        of database: Database, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool {
        // If the first run was committed, a second one returns `false`: callers then read the row
        // again.
        try backend.change("change the home of a database", isRepeatable: true) {
            connection throws(StatementFailure) in
            let key = database.parameters + [.bytes(next.bytes)]
            let result =
                if let former {
                    try connection.run(HomeStatements.replaceHome, key + [.bytes(former.bytes)])
                } else {
                    try connection.run(HomeStatements.putHome, key)
                }
            guard result.changedCount == 1 else { return false }
            // Changes in progress may have read the former row: wait until they end.
            _ = try connection.run(ZoneStatements.lockZones, database.parameters)
            try backend.announce(over: connection)
            return true
        }
    }

    func page(
        of zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ZonePage? {
        let attempt = "copy zone \(zone.name)"
        let start = try version.stored(attempt)
        return try backend.look(attempt) { connection throws(StatementFailure) in
            let heads = try connection.run(ZoneStatements.zoneOfLife, zone.parameters)
            try connection.checkHome(of: zone.database, backend.claim)
            guard heads.rowCount > 0 else { return nil }
            let timeline = try connection.run(StoreStatements.setting, [.text("timeline")])
                .identifier(0, 0)
            let life = Parameter.bytes(zone.incarnation.bytes)
            let count = min(max(limit, 1), Int(Int32.max))
            let records = try MovedRows(
                connection.run(
                    RecordStatements.movedRecords,
                    [life, .integer(start), .integer(Int64(count) + 1)])
            ).records(in: life, over: connection)
            let batches = try connection.run(
                RecordStatements.movedBatches,
                [life, .integer(start), .integer(Int64(ZonePage.batchCount) + 1)]
            ).batches
            let forgotten = try connection.run(ZoneStatements.forgottenInZone, [life])
            return ZonePage(
                try heads.zone(0, of: zone.database.place), timeline,
                forgottenVersion: try forgotten.count(0, 0), after: version, limit: count, records,
                batches)
        }
    }

    func take(_ page: ZonePage) throws(RecordError) -> Bool {
        // If the first run was committed, a second one finds that the zone is no longer at the
        // start of the page, and returns `false`.
        try backend.change("receive zone \(page.head.name)", isRepeatable: true) {
            connection throws(StatementFailure) in
            try connection.holdHome(of: page.head.database, backend.claim)
            return try PageTransaction(page: page).run(over: connection)
        }
    }

    func take(
        _ document: StoredDocument, named name: String, of place: Place,
        for account: AccountIdentifier?
    ) throws(RecordError) {
        let attempt = "receive document \(name)"
        let version = try document.version.stored(attempt)
        try backend.change(attempt, isRepeatable: true) { connection throws(StatementFailure) in
            if let account {
                try connection.holdHome(of: Database(place, owner: account), backend.claim)
            }
            let key = place.parameters + [.text(name)]
            _ = try connection.run(ZoneStatements.promiseDocument, key)
            _ = try connection.run(
                ZoneStatements.takeDocument, key + [.integer(version), .bytes(document.bytes)])
        }
    }

    func holderCount(
        of asset: RandomIdentifier, in database: Database
    ) throws(RecordError) -> UInt64? {
        try backend.read("look at an asset", of: database) { connection throws(StatementFailure) in
            let rows = try connection.run(AssetStatements.holders, [.bytes(asset.bytes)])
            guard rows.rowCount > 0 else { return nil }
            guard try rows.isUpload(0, of: database) else { throw .stopped(.foreignAsset) }
            return try rows.count(0, 1)
        }
    }

    func uploads(
        in database: Database
    ) throws(RecordError) -> [(asset: RandomIdentifier, time: Int64)] {
        try backend.read("list uploads", of: database) { connection throws(StatementFailure) in
            let rows = try connection.run(AssetStatements.uploads, [.bytes(database.key)])
            var uploads: [(asset: RandomIdentifier, time: Int64)] = []
            for row in 0..<rows.rowCount {
                uploads.append((try rows.identifier(row, 0), try rows.integer(row, 1)))
            }
            return uploads
        }
    }

    func free(
        _ asset: RandomIdentifier, in database: Database
    ) throws(RecordError) {
        try backend.change("free an asset that no record holds", isRepeatable: true) {
            connection throws(StatementFailure) in
            try connection.holdHome(of: database, backend.claim)
            let asset = Parameter.manyBytes([asset.bytes])
            let rows = try connection.run(AssetStatements.lockAssets, [asset])
            guard rows.rowCount > 0, try rows.integer(0, 1) == 0,
                try rows.isUpload(0, of: database)
            else { return }
            _ = try connection.run(AssetStatements.deleteChunks, [asset])
            _ = try connection.run(AssetStatements.deleteAssets, [asset])
        }
    }

    func clear(_ documents: [String], of database: Database) throws(RecordError) {
        try backend.change("clear a database that has moved", isRepeatable: true) {
            connection throws(StatementFailure) in
            try connection.holdHome(of: database, backend.claim)
            _ = try connection.run(
                ZoneStatements.deleteDocuments, database.place.parameters + [.texts(documents)])
        }
        while try clearUploads(of: database) {}
    }

    /// Deletes some assets that no record holds; returns whether there may be more.
    private func clearUploads(of database: Database) throws(RecordError) -> Bool {
        try backend.change("clear a database that has moved", isRepeatable: true) {
            connection throws(StatementFailure) in
            try connection.holdHome(of: database, backend.claim)
            let rows = try connection.run(
                AssetStatements.lockUploads,
                [.bytes(database.key), .integer(Int64(ZoneClearing.assetCount))])
            var uploads: [[UInt8]] = []
            for row in 0..<rows.rowCount { uploads.append(try rows.bytes(row, 0)) }
            guard !uploads.isEmpty else { return false }
            _ = try connection.run(AssetStatements.deleteChunks, [.manyBytes(uploads)])
            _ = try connection.run(AssetStatements.deleteAssets, [.manyBytes(uploads)])
            return true
        }
    }
}

extension QueryResult {
    /// Whether a row of ``AssetStatements/lockAssets`` or ``AssetStatements/holders`` says that its
    /// asset was uploaded for a database, so that the database's records can hold it.
    ///
    /// A row in an older format may name no database: its asset then counts as uploaded for any.
    func isUpload(_ row: Int, of database: Database) throws(StatementFailure) -> Bool {
        guard !isNull(row, 2) else { return true }
        return try bytes(row, 2) == database.key
    }
}

extension Database {
    /// The key by which the rows of assets name the database.
    var key: [UInt8] {
        let owner = owner?.identifier.bytes ?? []
        return [place.environment.rawValue, UInt8(owner.count)] + owner + place.container.utf8
    }
}

extension Connection {
    /// The keys of the databases whose orphaned assets are left to movers.
    func databasesOnTheirWay() throws(StatementFailure) -> Set<[UInt8]> {
        let rows = try run(HomeStatements.homesOnTheirWay, [])
        var keys: Set<[UInt8]> = []
        for row in 0..<rows.rowCount where try rows.home(row, 3).isOnItsWay {
            let owner = try rows.bytes(row, 2)
            let environment = UInt8(truncatingIfNeeded: try rows.integer(row, 1))
            let container = try rows.bytes(row, 0)
            keys.insert([environment, UInt8(truncatingIfNeeded: owner.count)] + owner + container)
        }
        return keys
    }
}

extension QueryResult {
    fileprivate var batches: [ZonePage.Batch] {
        get throws(StatementFailure) {
            var batches: [ZonePage.Batch] = []
            for row in 0..<rowCount {
                batches.append((try identifier(row, 0), try count(row, 1), try integer(row, 2)))
            }
            return batches
        }
    }
}

/// The records of a page, from the rows of their tables.
private struct MovedRows {
    private let rows: QueryResult

    init(_ rows: QueryResult) { self.rows = rows }

    /// The records, with their places in indexes and their references.
    func records(
        in life: Parameter, over connection: Connection
    ) throws(StatementFailure) -> [ZonePage.Row] {
        guard rows.rowCount > 0 else { return [] }
        var names: [String] = []
        for row in 0..<rows.rowCount { names.append(try rows.text(row, 0)) }
        let places = try connection.run(RecordStatements.movedPlaces, [life, .texts(names)])
        var indexes: [String: Set<[UInt8]>] = [:]
        for row in 0..<places.rowCount {
            indexes[try places.text(row, 0), default: []].insert(try places.bytes(row, 1))
        }
        let edges = try connection.run(RecordStatements.movedEdges, [life, .texts(names)])
        var references: [String: Set<ReferenceEdge>] = [:]
        for row in 0..<edges.rowCount {
            guard
                let action = UInt8(exactly: try edges.integer(row, 1))
                    .flatMap({ RecordReference.Action(rawValue: $0) })
            else { throw .malformed("a reference has an unknown action") }
            let edge = ReferenceEdge(target: try edges.text(row, 2), action)
            references[try edges.text(row, 0), default: []].insert(edge)
        }
        var records: [ZonePage.Row] = []
        for (row, name) in names.enumerated() {
            let content = try content(row, indexes[name] ?? [], references[name] ?? [])
            records.append(ZonePage.Row(name, version: try rows.count(row, 1), content))
        }
        return records
    }

    private func content(
        _ row: Int, _ indexes: Set<[UInt8]>, _ references: Set<ReferenceEdge>
    ) throws(StatementFailure) -> ZonePage.Row.Content {
        let type = try rows.text(row, 2)
        guard rows.isNull(row, 4) else {
            return .deleted(type: type, time: try rows.integer(row, 4))
        }
        guard let tag = ChangeTag(bytes: try rows.bytes(row, 3)) else {
            throw .malformed("a record's tag is cut")
        }
        var entry = RecordEntry(
            try rows.bytes(row, 5), type: type, tag: tag, indexes: indexes,
            references: references, assets: try rows.assets(row, 7))
        entry.digest = try rows.bytes(row, 6)
        let byteCount = try rows.count(row, 8)
        guard byteCount >= UInt64(entry.bytes.count) else {
            throw .malformed("a record has fewer bytes than its content")
        }
        entry.assetByteCount = byteCount - UInt64(entry.bytes.count)
        return .entry(entry)
    }
}
#endif
