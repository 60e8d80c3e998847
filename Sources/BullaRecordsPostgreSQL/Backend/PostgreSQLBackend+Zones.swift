#if PostgreSQL
package import BullaRecords

extension PostgreSQLBackend {
    package func zones(in database: Database) throws(RecordError) -> [StoredZone] {
        try zones("list zones", ZoneStatements.zones, database.parameters, of: database.place)
    }

    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try zones("list zones", ZoneStatements.zonesOfPlace, place.parameters, of: place)
    }

    package func zone(
        named name: String, in database: Database
    ) throws(RecordError) -> StoredZone? {
        let parameters = database.parameters + [.text(name)]
        return try zones("read zone \(name)", ZoneStatements.zone, parameters, of: database.place)
            .first
    }

    private func zones(
        _ attempt: String, _ statement: Statement, _ parameters: [Parameter], of place: Place
    ) throws(RecordError) -> [StoredZone] {
        try read(attempt) { connection throws(StatementFailure) in
            let rows = try connection.run(statement, parameters)
            var zones: [StoredZone] = []
            for row in 0..<rows.rowCount { zones.append(try rows.zone(row, of: place)) }
            return zones
        }
    }

    package func create(_ zone: StoredZone) throws(RecordError) -> Bool {
        let attempt = "create zone \(zone.name)"
        let version = try zone.version.stored(attempt)
        return try change(attempt, isRepeatable: false) { connection throws(StatementFailure) in
            let parameters =
                ZoneLife(zone).parameters + [
                    .integer(version), .integer(Int64(zone.epoch)), .bytes(zone.keys),
                    .bytes(zone.seal), zone.storedByteCount,
                ]
            guard try connection.run(ZoneStatements.createZone, parameters).changedCount == 1 else {
                return false
            }
            // If there is no schema yet, this adds an empty row for it, because batches lock the
            // schema's version, and a missing row cannot be locked.
            let schema = zone.database.place.parameters + [.text(PlaceDocument.schema)]
            _ = try connection.run(ZoneStatements.promiseDocument, schema)
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
            guard let former = try connection.lock(ZoneLife(zone)), former.epoch == formerEpoch,
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

    package func delete(_ zone: ZoneLife) throws(RecordError) -> Bool {
        try change("delete zone \(zone.name)", isRepeatable: false) {
            connection throws(StatementFailure) in
            guard try connection.lock(zone) != nil else { return false }
            let life: [Parameter] = [.bytes(zone.incarnation.bytes)]
            let rows = try connection.run(AssetStatements.assetsOfZone, life)
            var holds = AssetHolds()
            for row in 0..<rows.rowCount { holds.letGo(try rows.assets(row, 0)) }
            _ = try holds.apply(over: connection)
            for statement in ZoneStatements.deleteRows { _ = try connection.run(statement, life) }
            _ = try connection.run(ZoneStatements.deleteZone, life)
            try announce(over: connection)
            return true
        }
    }

    package func document(
        _ name: String, of place: Place
    ) throws(RecordError) -> StoredDocument? {
        try read("read document \(name)") { connection throws(StatementFailure) in
            let rows = try connection.run(ZoneStatements.document, place.parameters + [.text(name)])
            guard rows.rowCount > 0 else { return nil }
            let version = try rows.count(0, 0)
            return version == 0 ? nil : StoredDocument(version: version, try rows.bytes(0, 1))
        }
    }

    package func replace(
        _ name: String, of place: Place, version: UInt64, with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        let attempt = "replace document \(name)"
        let stored = try version.stored(attempt)
        return try change(attempt, isRepeatable: false) { connection throws(StatementFailure) in
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
