#if PostgreSQL
internal import BullaRecords

/// Deletes what a zone has, apart from its head, by statements that end in time, however large the
/// zone is.
struct ZoneClearing {
    /// The most records, and the most batches, of a piece.
    private static let rowCount = 1_000
    /// A piece ends after the record with which it has this many assets, each of which can have
    /// many chunks; so a statement that deletes chunks deletes those of about as many.
    static let assetCount = 8

    let backend: PostgreSQLBackend
    let zone: ZoneLife

    private var life: Parameter { .bytes(zone.incarnation.bytes) }

    /// Deletes all of it in a transaction that has locked the zone's head.
    func run(over connection: Connection) throws(StatementFailure) {
        // Assets are locked in the order of their identifiers, so all of them at once.
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
    /// From the first piece on, the head says that the zone has the greatest version: so a mover
    /// that finds a zone of which a part is gone deletes the rest, and copies it anew.
    ///
    /// - Throws: what the claim, or the database, demands; then a part of the zone may be deleted.
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

    /// Deletes records whose names follow a name; returns the last name, or `nil` if none is left.
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

    /// Names that follow a name, with the assets that their records hold.
    private func records(
        after name: [UInt8], over connection: Connection
    ) throws(StatementFailure) -> QueryResult {
        try connection.run(
            RecordStatements.heldAssets, [life, .bytes(name), .integer(Int64(Self.rowCount))])
    }

    /// Deletes the records with these names; nobody holds their assets any more.
    private func delete(
        _ names: [[UInt8]], over connection: Connection
    ) throws(StatementFailure) {
        guard !names.isEmpty else { return }
        for statement in RecordStatements.deleteRecords {
            _ = try connection.run(statement, [life, .manyBytes(names)])
        }
    }

    /// Deletes batches whose first changes follow a version; returns the last one's first change,
    /// or `nil` if none is left.
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
    /// Whether only movers can see the database.
    var isHidden: Bool {
        switch role {
        case .client, .sender: false
        case .receiver, .remover: true
        }
    }
}
#endif
