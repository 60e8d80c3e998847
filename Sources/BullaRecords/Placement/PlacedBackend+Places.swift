/// Calls for a place as a whole, or for all of them.
extension PlacedBackend {
    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        guard let account else { return try site(first).document(name, of: place) }
        return try route(Database(place, owner: account)) { site, _ throws(RecordError) in
            try site.document(name, of: place, for: account)
        }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        guard let account else {
            let isReplaced = try site(first).replace(
                name, of: place, version: version, with: bytes)
            if isReplaced, name == PlaceDocument.schema { try bringSchema(of: place) }
            return isReplaced
        }
        let database = Database(place, owner: account)
        return try route(database, isChange: true) { site, _ throws(RecordError) in
            try site.replace(name, of: place, for: account, version: version, with: bytes)
        }
    }

    /// Copies the schema of a place to all sites.
    private func bringSchema(of place: Place) throws(RecordError) {
        for name in sites.keys.sorted() { _ = try bringSchema(of: place, to: name) }
    }

    /// Copies the schema of a place from the first site to another one; returns `false` for the
    /// first site itself, and if there is no schema.
    func bringSchema(of place: Place, to name: String) throws(RecordError) -> Bool {
        guard name != first,
            let schema = try site(first).document(PlaceDocument.schema, of: place)
        else { return false }
        try site(name).moves.take(schema, named: PlaceDocument.schema, of: place, for: nil)
        return true
    }

    /// Every zone of all databases of a place, in no order.
    ///
    /// The list has each zone once, whatever moves meanwhile: the call starts over if a home
    /// changes. The call first brings the schema to all sites. So a caller that goes through all
    /// zones after a change of the schema finds every record that was checked against the former
    /// schema.
    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try bringSchema(of: place)
        let names = sites.keys.sorted()
        for _ in 0..<Self.listingCount {
            let before = try homes(of: place)
            var zones: [StoredZone] = []
            for name in names { zones += try site(name).zones(of: place) }
            guard try homes(of: place) == before else { continue }
            guard before.values.allSatisfy(\.hasHome) else { continue }
            return zones
        }
        throw RecordError(
            .unavailable, "list zones: databases keep moving to other sites", retryAfter: 1)
    }

    private static let listingCount = 20

    /// The rows of each database of a place, by the names of the sites that have one.
    package func homes(
        of place: Place
    ) throws(RecordError) -> [Database: [String: HomeRow]] {
        var homes: [Database: [String: HomeRow]] = [:]
        for name in sites.keys.sorted() {
            for (database, row) in try site(name).moves.homes(of: place) {
                homes[database, default: [:]][name] = row
            }
        }
        return homes
    }

    /// The present entry of a database in the map; `nil` if nothing was ever stored in the
    /// database, or if it is older than the map and has not changed since the map began.
    package func entry(of database: Database) throws(RecordError) -> PlacementEntry? {
        try map.read(database)?.entry
    }

    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        var count = 0
        for name in sites.keys.sorted() { count += try site(name).freeOrphans(before: time) }
        return count
    }
}

extension [String: HomeRow] {
    /// Whether one of the sites has the database.
    fileprivate var hasHome: Bool { values.contains(where: \.isHome) }
}
