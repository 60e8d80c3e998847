/// Finds the home of a database by the rows at the sites.
struct HomeSearch {
    private let directory: SiteDirectory
    private let database: Database

    init(_ directory: SiteDirectory, _ database: Database) {
        (self.directory, self.database) = (directory, database)
    }

    /// The newest rows among those that were found, and the sites that did not answer.
    struct Found {
        /// Of the sites whose rows say that they are the home, the one with the highest generation.
        var home: (name: String, row: HomeRow)?
        /// Of the sites that have given the database to another site, the one with the highest
        /// generation.
        var given: (name: String, row: HomeRow)?
        var silent: Set<String> = []

        mutating func note(_ row: HomeRow, at name: String) {
            if row.isHome, row.generation > home?.row.generation ?? 0 { home = (name, row) }
            if row.isGiven, row.generation > given?.row.generation ?? 0 { given = (name, row) }
        }

        /// The entry that the map should have instead of `known`; `nil` if the rows say nothing
        /// newer.
        ///
        /// - Throws: `unavailable` if a site has given the database to another site that has not
        ///   answered.
        func newer(than known: PlacementEntry?) throws(RecordError) -> PlacementEntry? {
            let generation = known?.generation ?? 0
            if let (name, row) = home, row.generation >= given?.row.generation ?? 0 {
                guard row.generation > generation else { return nil }
                return PlacementEntry(name, row.generation, state(of: row, at: name))
            }
            guard let (name, row) = given, row.generation > generation, row.generation > 1 else {
                return nil
            }
            // An emptied site has nothing to give back: the other one is the home, even if it has
            // lost the database since.
            guard row.state == .gone else {
                return PlacementEntry(row.other, row.generation, .clearing(former: name))
            }
            // No site is the home until somebody takes the last steps of the move. If the other
            // site answers, the entry to return says that the database is still moving there.
            guard !silent.contains(row.other) else {
                throw .moved("find a database: it has gone to \(row.other), which does not answer")
            }
            let entry = PlacementEntry(name, row.generation - 1, .moving(to: row.other))
            let isKnown = entry.generation == generation && known?.state == entry.state
            return isKnown ? nil : entry
        }

        /// The state for the entry: whether a move is in progress, or has left something to delete.
        private func state(of row: HomeRow, at name: String) -> PlacementEntry.State {
            guard row.state == .here else { return .moving(to: row.other) }
            guard let given, given.row.generation == row.generation, given.row.other == name else {
                return .settled
            }
            return .clearing(former: given.name)
        }
    }

    /// Asks some sites; those that do not answer, or recently failed to, are listed as silent.
    ///
    /// A row for which the container's keys do not vouch counts for nothing.
    func ask(_ names: some Sequence<String>) -> Found {
        var found = Found()
        for name in names {
            guard !directory.memory.isSilent(name) else {
                found.silent.insert(name)
                continue
            }
            directory.memory.beginAsking(name)
            do throws(RecordError) {
                let row = try directory.call(name) { site throws(RecordError) in
                    try directory.home(of: database, at: name, site.impatient())
                }
                if let row { found.note(row, at: name) }
                directory.memory.noteAnswer(of: name)
            } catch {
                guard error.code != .damaged else {
                    directory.memory.noteAnswer(of: name)
                    continue
                }
                // If the site was silent, `call` has already noted its silence. A refusal by the
                // site's gate throws the same error, but is no sign of silence, so neither error is
                // noted here.
                if !error.isSilence { directory.memory.noteSilence(of: name) }
                found.silent.insert(name)
            }
        }
        return found
    }

    /// The entry to make for a database that has none in the map.
    ///
    /// If the map has lost the entry, the rows at the sites say where the home is. Otherwise the
    /// home is the first site if the database is older than the map, or else the site for new
    /// databases.
    func settlement() throws(RecordError) -> PlacementEntry {
        if let entry = try ask(directory.names).newer(than: nil) { return entry }
        let name = try isOlder() ? directory.first : directory.newcomers
        return PlacementEntry(name, HomeRow.first.generation)
    }

    /// Whether the database is older than the map: the first site has something of it, but no row.
    private func isOlder() throws(RecordError) -> Bool {
        guard try directory.home(of: database, at: directory.first) == nil else { return false }
        return try directory.holdsAnything(of: database, at: directory.first)
    }
}
