#if PostgreSQL
package import BullaRecords

extension PostgreSQLBackend {
    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        try read("list zones", of: database) { connection throws(StatementFailure) in
            try connection.zones(ZoneStatements.zones, database.parameters, of: database.place)
        }
    }

    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try read("list zones") { connection throws(StatementFailure) in
            let rows = try connection.run(ZoneStatements.zonesOfPlace, place.parameters)
            var zones: [StoredZone] = []
            for row in 0..<rows.rowCount {
                // If the row is missing, or malformed, the zone is listed.
                let home: HomeRow? = try? rows.home(row, 8)
                if home?.isHome ?? true { zones.append(try rows.zone(row, of: place)) }
            }
            return zones
        }
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        let parameters = database.parameters + [.text(name)]
        return try read("read zone \(name)", of: database) { connection throws(StatementFailure) in
            try connection.zones(ZoneStatements.zone, parameters, of: database.place).first
        }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        let attempt = "create zone \(zone.name)"
        let version = try zone.version.stored(attempt)
        return try change(attempt, isRepeatable: false) { connection throws(StatementFailure) in
            try connection.holdHome(of: zone.database, claim)
            guard try connection.create(zone, version: version) else { return false }
            try announce(over: connection)
            return true
        }
    }

    package func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32,
        sealing: HeadSealing
    ) throws(RecordError) -> Bool {
        try change("rekey zone \(zone.name)", isRepeatable: false) {
            connection throws(StatementFailure) in
            guard let former = try lock(ZoneLife(zone), over: connection),
                former.epoch == formerEpoch,
                former.keys == formerKeys
            else { return false }
            var head = former
            (head.epoch, head.keys) = (zone.epoch, zone.keys)
            do throws(RecordError) {
                try head.count(1)
                head.seal = try sealing(former, head, [])
            } catch { throw .stopped(error) }
            guard let version = Int64(exactly: head.version) else {
                throw .malformed("a zone's version is beyond counting")
            }
            _ = try connection.run(
                ZoneStatements.rekeyZone,
                [
                    .bytes(head.incarnation.bytes), .integer(version),
                    .integer(Int64(head.epoch)),
                    .bytes(head.keys), .bytes(head.seal),
                ])
            try announce(over: connection)
            return true
        }
    }

    /// Ends a life of a zone and deletes its contents; returns `false` if it had already ended.
    ///
    /// Clients see a zone whole or not at all, so they delete it in one transaction, which can last
    /// for a while if the zone is large. What only movers can see is deleted piece by piece.
    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        let clearing = ZoneClearing(backend: self, zone: zone)
        let isHidden = claim?.isHidden == true
        if isHidden { try clearing.runInPieces() }
        return try change("delete zone \(zone.name)", isRepeatable: false) {
            connection throws(StatementFailure) in
            guard try lock(zone, over: connection) != nil else { return false }
            try clearing.run(over: connection)
            let life: [Parameter] = [.bytes(zone.incarnation.bytes)]
            if isHidden {
                // The zone can come here again with the same life, so all its rows must go: in a
                // damaged database, some may belong to no record.
                for statement in ZoneStatements.deleteRows {
                    _ = try connection.run(statement, life)
                }
            }
            _ = try connection.run(ZoneStatements.deleteZone, life)
            try announce(over: connection)
            return true
        }
    }

    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        let database = account.map { Database(place, owner: $0) }
        return try read("read document \(name)", of: database) {
            connection throws(StatementFailure) in
            let rows = try connection.run(ZoneStatements.document, place.parameters + [.text(name)])
            guard rows.rowCount > 0 else { return nil }
            let version = try rows.count(0, 0)
            return version == 0 ? nil : StoredDocument(version: version, try rows.bytes(0, 1))
        }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        let attempt = "replace document \(name)"
        let stored = try version.stored(attempt)
        return try change(attempt, isRepeatable: false) { connection throws(StatementFailure) in
            if let account {
                try connection.holdHome(of: Database(place, owner: account), claim)
            }
            let key = place.parameters + [.text(name)]
            if version == 0 { _ = try connection.run(ZoneStatements.promiseDocument, key) }
            let parameters = key + [.integer(stored), .bytes(bytes)]
            guard try connection.run(ZoneStatements.replaceDocument, parameters).changedCount == 1
            else {
                return false
            }
            try announce(over: connection)
            return true
        }
    }
}

extension PostgreSQLBackend {
    /// Locks a zone's head, and checks that its database is here; `nil` if this life of the zone
    /// has ended.
    ///
    /// A transaction that changes the state of a home also locks all heads of the database, so the
    /// state stays as it is until this transaction ends.
    func lock(
        _ zone: ZoneLife, over connection: Connection
    ) throws(StatementFailure) -> StoredZone? {
        let head = try connection.lock(zone)
        try connection.checkHome(of: zone.database, claim, isChange: true)
        return head
    }
}

extension Connection {
    fileprivate func zones(
        _ statement: Statement, _ parameters: [Parameter], of place: Place
    ) throws(StatementFailure) -> [StoredZone] {
        let rows = try run(statement, parameters)
        var zones: [StoredZone] = []
        for row in 0..<rows.rowCount { zones.append(try rows.zone(row, of: place)) }
        return zones
    }

    /// Creates a zone; returns `false` if there is one with that name.
    func create(_ zone: StoredZone, version: Int64) throws(StatementFailure) -> Bool {
        let parameters =
            ZoneLife(zone).parameters + [
                .integer(version), .integer(Int64(zone.epoch)), .bytes(zone.keys),
                .bytes(zone.seal), zone.storedByteCount,
            ]
        guard try run(ZoneStatements.createZone, parameters).changedCount == 1 else {
            return false
        }
        // If the place has no record schema yet, this adds an empty one of version 0, so that
        // batches have a row to lock.
        let schema = zone.database.place.parameters + [.text(PlaceDocument.schema)]
        _ = try run(ZoneStatements.promiseDocument, schema)
        return true
    }
}

extension UInt64 {
    /// The number as the database stores it.
    func stored(_ attempt: String) throws(RecordError) -> Int64 {
        guard let number = Int64(exactly: self) else {
            throw RecordError(.internalError, "\(attempt): \(self) is beyond counting")
        }
        return number
    }
}
#endif
