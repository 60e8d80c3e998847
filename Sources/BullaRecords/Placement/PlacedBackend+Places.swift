/// Calls for a place as a whole, or for all places.
extension PlacedBackend {
    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        guard let account else {
            // Opening a container begins with the key mark, before there are keys to vouch for the
            // map.
            if name != PlaceDocument.keyMark { try directory.recoverMap(of: place) }
            return try directory.call(directory.first) { site throws(RecordError) in
                try site.document(name, of: place)
            }
        }
        return try route(Database(place, owner: account)) { site, _ throws(RecordError) in
            try site.document(name, of: place, for: account)
        }
    }

    package func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        guard let account else {
            let isReplaced = try directory.call(directory.first) { site throws(RecordError) in
                try site.replace(name, of: place, version: version, with: bytes)
            }
            if isReplaced, name == PlaceDocument.schema { directory.offerSchema(of: place) }
            return isReplaced
        }
        let database = Database(place, owner: account)
        return try route(database) { site, _ throws(RecordError) in
            try site.replace(name, of: place, for: account, version: version, with: bytes)
        }
    }

    /// Every zone of all databases of a place, in no particular order.
    ///
    /// The list has each zone once, whatever moves meanwhile: if the home of a database changes, or
    /// no site is its home, the call lists that database's zones separately. The call first brings
    /// the schema to all sites. So a caller that goes through all zones after a change of the
    /// schema finds every record that was checked against the former schema.
    ///
    /// - Throws: `unavailable` if a site does not answer, or a database has no home; `damaged` if a
    ///   site was restored, and has lost a database.
    package func zones(of place: Place) throws(RecordError) -> [StoredZone] {
        try directory.recoverMap(of: place)
        try directory.bringSchema(of: place)
        let before = try directory.homes(of: place).rows
        var zones: [StoredZone] = []
        for name in directory.names {
            let found = try directory.call(name) { site throws(RecordError) in
                try site.zones(of: place)
            }
            zones += found.filter { zone in
                // A database that has no row is older than the map, so it is at the first site.
                before[zone.database].map { $0.home == name } ?? (name == directory.first)
            }
        }
        let after = try directory.homes(of: place)
        // A stay that has ended never comes back, so a database with the same stay before and after
        // has not moved meanwhile.
        var moved = Set(
            after.rows.filter { database, rows in
                rows.stay == nil || rows.stay != before[database]?.stay
            }.keys)
        // A row for which nobody vouches may belong to a database that the site has made up, so ask
        // the map.
        for database in after.doubtful where try directory.known(database) != nil {
            moved.insert(database)
        }
        zones.removeAll { moved.contains($0.database) }
        for database in moved { zones += try self.zones(in: database) }
        return zones
    }

    /// Forgets deletions at each site separately.
    ///
    /// The call does not wait for a database that moves, but leaves it for the next time. If a site
    /// does not answer, the call still goes through the other sites.
    package func forgetDeletions(before time: Int64, of place: Place) throws(RecordError) {
        try directory.callAll { site throws(RecordError) in
            var moving: Set<Database> = []
            for zone in try site.zones(of: place) where !moving.contains(zone.database) {
                do throws(RecordError) {
                    try site.forgetDeletions(before: time, in: ZoneLife(zone))
                } catch {
                    guard error.hasMoved else { throw error }
                    moving.insert(zone.database)
                }
            }
        }
    }

    /// The rows of each database of a place, by the names of the sites that have a row for it.
    ///
    /// Rows for which the container's keys do not vouch are left out.
    package func homes(
        of place: Place
    ) throws(RecordError) -> [Database: [String: HomeRow]] {
        try directory.homes(of: place).rows
    }

    /// The present entry of a database in the map; `nil` if it has not been used since the map
    /// began.
    package func entry(of database: Database) throws(RecordError) -> PlacementEntry? {
        try directory.recoverMap(of: database.place)
        return try directory.known(database)?.entry
    }

    /// The present entry of a database, or the one that it will get when it is first used.
    package func entry(expectedOf database: Database) throws(RecordError) -> PlacementEntry {
        if let entry = try entry(of: database) { return entry }
        return try HomeSearch(directory, database).settlement()
    }

    /// What a site's row says of a database's home; `nil` if the site has no such row.
    package func home(
        of database: Database, at name: String
    ) throws(RecordError) -> HomeRow? {
        try directory.home(of: database, at: name)
    }

    /// Replaces a site's row of a database's home; returns `false` if it is no longer `former`.
    package func replaceHome(
        of database: Database, at name: String, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool {
        try directory.replaceHome(of: database, at: name, former, with: next)
    }

    /// Frees assets at all sites that answer; if one does not, throws its error afterwards.
    package func freeOrphans(before time: Int64) throws(RecordError) -> Int {
        var count = 0
        try directory.callAll { site throws(RecordError) in
            count += try site.freeOrphans(before: time)
        }
        return count
    }
}

extension [String: HomeRow] {
    /// The name of the site that is the home; `nil` while the database is between two homes.
    package var home: String? { stay?.home }

    /// The home, with the generation and the number in its row; each mover replaces that number
    /// with its own before it changes anything else.
    ///
    /// A restored site can have an older row that says that it is the home, so the row with the
    /// highest generation counts.
    fileprivate var stay: Stay? {
        let home = filter { $1.isHome }.max { $0.value.generation < $1.value.generation }
        let given = values.filter(\.isGiven).map(\.generation).max() ?? 0
        guard let (name, row) = home, row.generation >= given else { return nil }
        return Stay(home: name, generation: row.generation, attempt: row.attempt)
    }
}

/// A period of a database at one site; it ends as soon as a mover takes a number there.
private struct Stay: Hashable {
    let home: String
    let generation: UInt64
    let attempt: UInt64
}
