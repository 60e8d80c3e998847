#if PostgreSQL
internal import BullaRecords

/// The rows of the backend's tables, as the record layer's values.
///
/// An impossible value in a column counts as damage.
extension QueryResult {
    func identifier(_ row: Int, _ column: Int) throws(StatementFailure) -> RandomIdentifier {
        guard let identifier = RandomIdentifier(bytes: try bytes(row, column)) else {
            throw .malformed("an identifier does not have 16 bytes")
        }
        return identifier
    }

    func count(_ row: Int, _ column: Int) throws(StatementFailure) -> UInt64 {
        guard let count = UInt64(exactly: try integer(row, column)) else {
            throw .malformed("a count is negative")
        }
        return count
    }

    /// The identifiers of assets, which the column contains one after the other.
    func assets(_ row: Int, _ column: Int) throws(StatementFailure) -> Set<RandomIdentifier> {
        let bytes = try bytes(row, column)
        let size = RandomIdentifier.byteCount
        guard bytes.count % size == 0 else { throw .malformed("a list of assets is cut") }
        var assets: Set<RandomIdentifier> = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            guard let asset = RandomIdentifier(bytes: Array(bytes[start..<start + size])) else {
                throw .malformed("a list of assets is cut")
            }
            assets.insert(asset)
        }
        return assets
    }

    /// A record from columns version, type, deleted and content.
    func record(_ row: Int, from column: Int) throws(StatementFailure) -> StoredRecord {
        let version = try count(row, column)
        guard isNull(row, column + 2) else {
            let type = try text(row, column + 1)
            let time = try integer(row, column + 2)
            return StoredRecord(version: version, .deleted(type: type, time: time))
        }
        return StoredRecord(version: version, .record(try bytes(row, column + 3)))
    }

    /// A zone from the columns that all statements over zones select.
    func zone(_ row: Int, of place: Place) throws(StatementFailure) -> StoredZone {
        let owner = try bytes(row, 0)
        let account = RandomIdentifier(bytes: owner).map { AccountIdentifier($0) }
        guard owner.isEmpty || account != nil else {
            throw .malformed("a zone's owner does not have 16 bytes")
        }
        guard let epoch = UInt32(exactly: try integer(row, 4)) else {
            throw .malformed("a zone's epoch is out of range")
        }
        var zone = StoredZone(
            Database(place, owner: account), name: try text(row, 1),
            incarnation: try identifier(row, 2), version: try count(row, 3), epoch: epoch,
            keys: try bytes(row, 5))
        (zone.seal, zone.byteCount) = (try bytes(row, 6), try count(row, 7))
        return zone
    }
}

extension Place {
    var parameters: [Parameter] { [.text(container), .integer(Int64(environment.rawValue))] }
}

extension Database {
    var parameters: [Parameter] { place.parameters + [.bytes(owner?.identifier.bytes ?? [])] }
}

extension ZoneLife {
    var parameters: [Parameter] { database.parameters + [.text(name), .bytes(incarnation.bytes)] }
}

extension StoredZone {
    /// The head's byte count, which the database stores in a signed number.
    var storedByteCount: Parameter { .integer(Int64(clamping: byteCount)) }
}

extension Connection {
    /// Locks a zone's head until the end of the transaction, and returns it; `nil` if this life of
    /// the zone has ended.
    func lock(_ zone: ZoneLife) throws(StatementFailure) -> StoredZone? {
        let heads = try run(ZoneStatements.lockZone, zone.parameters)
        return try heads.rowCount == 0 ? nil : heads.zone(0, of: zone.database.place)
    }
}
#endif
