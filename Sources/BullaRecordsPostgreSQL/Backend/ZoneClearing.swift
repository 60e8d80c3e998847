#if PostgreSQL
internal import BullaRecords

/// Deletes everything in a zone except its head; each statement ends within the time limit, however
/// large the zone is.
struct ZoneClearing {
    /// The maximum number of records, or of batches, in a piece.
    private static let rowCount = 1_000
    /// A piece takes no further record once its records hold at least this many assets.
    ///
    /// An asset can have many chunks, so each statement deletes the chunks of about this many
    /// assets.
    static let assetCount = 8

    let backend: PostgreSQLBackend
    let zone: ZoneLife

    private var life: Parameter { .bytes(zone.incarnation.bytes) }

    /// Deletes everything in the caller's transaction, which has locked the zone's head.
    func run(over connection: Connection) throws(StatementFailure) {
        // Every transaction locks assets in the order of their identifiers, so this one must lock
        // all of the zone's assets at once.
        var holds = AssetHolds(for: zone.database)
        var last: [UInt8]? = []
        while let name = last {
            let rows = try records(after: name, over: connection)
            for row in 0..<rows.rowCount { holds.letGo(try rows.assets(row, 1)) }
            last = try rows.lastName
        }
        _ = try holds.apply(over: connection)
        last = []
        while let name = last {
            let rows = try records(after: name, over: connection)
            var names: [[UInt8]] = []
            for row in 0..<rows.rowCount { names.append(try rows.bytes(row, 0)) }
            try delete(names, over: connection)
            last = names.last
        }
        var version: Int64? = Int64.min
        while let first = version { version = try deleteBatches(after: first, over: connection) }
    }

    /// Deletes, piece by piece, what no client can see: each piece is a transaction of its own.
    ///
    /// The first piece gives the head the greatest possible version, which no other copy of the
    /// zone has. So a mover that finds what is left of the zone does not go on with it, but deletes
    /// it, and copies the zone anew.
    ///
    /// - Throws: the errors of the claim's check and of the database; a part of the zone may then
    ///   be deleted.
    func runInPieces() throws(RecordError) {
        var last: [UInt8]? = []
        while let name = last {
            last = try piece { connection throws(StatementFailure) in
                try deleteRecords(after: name, over: connection)
            }
        }
        var version: Int64? = Int64.min
        while let first = version {
            version = try piece { connection throws(StatementFailure) in
                try deleteBatches(after: first, over: connection)
            }
        }
    }

    /// Runs a transaction over the zone; `nil` if this life of the zone has ended.
    private func piece<R>(
        _ body: (Connection) throws(StatementFailure) -> R?
    ) throws(RecordError) -> R? {
        try backend.change("delete a part of zone \(zone.name)", isRepeatable: true) {
            connection throws(StatementFailure) in
            guard try backend.lock(zone, over: connection) != nil else { return nil }
            _ = try connection.run(ZoneStatements.outdateZone, [life])
            return try body(connection)
        }
    }

    /// Deletes some records whose names follow a name; returns the last of their names, or `nil`
    /// if there is no such record.
    private func deleteRecords(
        after name: [UInt8], over connection: Connection
    ) throws(StatementFailure) -> [UInt8]? {
        let rows = try records(after: name, over: connection)
        var names: [[UInt8]] = []
        var holds = AssetHolds(for: zone.database)
        var assetCount = 0
        for row in 0..<rows.rowCount where assetCount < Self.assetCount {
            let assets = try rows.assets(row, 1)
            holds.letGo(assets)
            assetCount += assets.count
            names.append(try rows.bytes(row, 0))
        }
        guard let last = names.last else { return nil }
        _ = try holds.apply(over: connection)
        try delete(names, over: connection)
        return last
    }

    /// The next names after a name, with the assets that their records hold.
    private func records(
        after name: [UInt8], over connection: Connection
    ) throws(StatementFailure) -> QueryResult {
        try connection.run(
            RecordStatements.heldAssets, [life, .bytes(name), .integer(Int64(Self.rowCount))])
    }

    /// Deletes the records with these names, which no longer count as holders of assets.
    private func delete(
        _ names: [[UInt8]], over connection: Connection
    ) throws(StatementFailure) {
        guard !names.isEmpty else { return }
        for statement in RecordStatements.deleteRecords {
            _ = try connection.run(statement, [life, .manyBytes(names)])
        }
    }

    /// Deletes some batches whose first changes come after a version; returns the number of the
    /// last batch's first change, or `nil` if there is no such batch.
    private func deleteBatches(
        after version: Int64, over connection: Connection
    ) throws(StatementFailure) -> Int64? {
        let rows = try connection.run(
            RecordStatements.movedBatches,
            [life, .integer(version), .integer(Int64(Self.rowCount))])
        guard rows.rowCount > 0 else { return nil }
        let last = try rows.integer(rows.rowCount - 1, 1)
        _ = try connection.run(
            RecordStatements.deleteBatches, [life, .integer(version), .integer(last)])
        return last
    }
}

extension QueryResult {
    /// The name in the last row; `nil` if there is none.
    fileprivate var lastName: [UInt8]? {
        get throws(StatementFailure) { try rowCount == 0 ? nil : bytes(rowCount - 1, 0) }
    }
}

extension HomeClaim {
    /// Whether only movers can see the databases for which this claim holds.
    var isHidden: Bool {
        switch role {
        case .client, .sender: false
        case .receiver, .remover: true
        }
    }
}
#endif
