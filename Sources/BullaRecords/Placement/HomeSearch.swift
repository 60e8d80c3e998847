/// Looks for the home of a database at all sites, for want of an entry in the map.
struct HomeSearch {
    private let placed: PlacedBackend
    private let database: Database

    init(_ placed: PlacedBackend, _ database: Database) {
        (self.placed, self.database) = (placed, database)
    }

    /// The entry to make for a database that has none in the map.
    ///
    /// If the map has lost the entry, the rows at the sites say where the home is. Otherwise the
    /// home is the first site if the database is older than the map, or else the site for new
    /// databases.
    func home() throws(RecordError) -> PlacementEntry {
        if let found = try newest(after: 0) { return found }
        let name = try isOlder() ? placed.first : placed.newcomers
        return PlacementEntry(name, HomeRow.first.generation)
    }

    /// The home of the newest generation, according to the rows; `nil` if no row is newer.
    ///
    /// - Throws: `unavailable` if the database has no home at this moment.
    func newest(after generation: UInt64) throws(RecordError) -> PlacementEntry? {
        var newest: (name: String, row: HomeRow)?
        var given = generation
        for name in placed.sites.keys.sorted() {
            guard let row = try placed.site(name).moves.home(of: database) else { continue }
            // A site that has given the database up says which generation the next home has.
            if row.state == .gone { given = max(given, row.generation) }
            if row.isHome, row.generation > newest?.row.generation ?? generation {
                newest = (name, row)
            }
        }
        guard let (name, row) = newest, row.generation >= given else {
            guard given > generation else { return nil }
            throw RecordError(
                .unavailable, "find a database: it moves to another site", retryAfter: 1)
        }
        let isMoving = row.state != .here
        return PlacementEntry(
            name, row.generation, isMoving ? .moving(to: row.other) : .settled)
    }

    /// Whether the first site has something of the database.
    private func isOlder() throws(RecordError) -> Bool {
        let site = try placed.site(placed.first)
        guard try site.zones(in: database).isEmpty, try site.moves.uploads(in: database).isEmpty
        else {
            return true
        }
        let owner = database.owner
        for name in PlaceDocument.all(of: owner)
        where try site.document(name, of: database.place, for: owner) != nil { return true }
        return false
    }
}
