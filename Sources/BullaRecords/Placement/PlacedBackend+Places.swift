/// Calls for a place as a whole, or for all of them.
extension PlacedBackend {
    package func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument? {
        guard let account else {
            // The key mark is read before anything vouches for the map.
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
    /// The list has each zone once, whatever moves meanwhile: the zones of a database whose home
    /// changes, or that has none, are listed by themselves. The call first brings the schema to all
    /// sites. So a caller that goes through all zones after a change of the schema finds every
    /// record that was checked against the former schema.
    ///
    /// - Throws: `unavailable` if a site does not answer, or a database has no home; `damaged` if a
    ///   site was restored, and has lost one.
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
                // What has no row is from a time before the map.
                before[zone.database].map { $0.home == name } ?? (name == directory.first)
            }
        }
        let after = try directory.homes(of: place)
        // A stay does not come back: what is the same before and after was the same meanwhile.
        var moved = Set(
            after.rows.filter { database, rows in
                rows.stay == nil || rows.stay != before[database]?.stay
            }.keys)
        // A site can have such a row of a database that it has made up.
        for database in after.doubtful where try directory.known(database) != nil {
            moved.insert(database)
        }
        zones.removeAll { moved.contains($0.database) }
        for database in moved { zones += try self.zones(in: database) }
        return zones
    }

    /// Forgets deletions at each site by itself.
    ///
    /// A database that moves is left for the next time. Nobody waits for it, and a site that does
    /// not answer does not keep the others from it.
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

    /// The rows of each database of a place, by the names of the sites that have one.
    ///
    /// Rows for which the container's keys do not vouch are left out.
    package func homes(
        of place: Place
    ) throws(RecordError) -> [Database: [String: HomeRow]] {
        try directory.homes(of: place).rows
    }

    /// The present entry of a database in the map; `nil` if it was not used since the map began.
    package func entry(of database: Database) throws(RecordError) -> PlacementEntry? {
        try directory.recoverMap(of: database.place)
        return try directory.known(database)?.entry
    }

    /// The present entry of a database, or the one that it gets when it is first used.
    package func entry(expectedOf database: Database) throws(RecordError) -> PlacementEntry {
        if let entry = try entry(of: database) { return entry }
        return try HomeSearch(directory, database).settlement()
    }

    /// The row of a database's home at a site; `nil` if the site has none.
    package func home(
        of database: Database, at name: String
    ) throws(RecordError) -> HomeRow? {
        try directory.home(of: database, at: name)
    }

    /// Replaces such a row; returns `false` if it is no longer `former`.
    package func replaceHome(
        of database: Database, at name: String, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool {
        try directory.replaceHome(of: database, at: name, former, with: next)
    }

    /// Frees assets at all sites that answer, before it throws the error of one that does not.
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

    /// The home, and what each mover changes in its row before it changes anything else.
    ///
    /// A site that was restored can have an older row, which says that it is the home.
    fileprivate var stay: Stay? {
        let home = filter { $1.isHome }.max { $0.value.generation < $1.value.generation }
        let given = values.filter(\.isGiven).map(\.generation).max() ?? 0
        guard let (name, row) = home, row.generation >= given else { return nil }
        return Stay(home: name, generation: row.generation, attempt: row.attempt)
    }
}

/// A part of a database's time at a site, which ends as soon as a mover takes a number there.
private struct Stay: Hashable {
    let home: String
    let generation: UInt64
    let attempt: UInt64
}
