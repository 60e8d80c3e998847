internal import Bulla
internal import Synchronization

/// A backend over several sites, each of which is the home of some databases.
///
/// A call goes to the site that the map names, with a claim that the site checks. If the site
/// refuses it, because the database has moved, the map is read again. While a database moves, calls
/// wait for a while, and then fail with `unavailable`.
package final class PlacedBackend: RecordBackend {
    package let sites: [String: any SiteBackend]
    /// The name of the site with the map, the schemas, and all databases without an entry.
    package let first: String
    /// The name of the site for databases that are new.
    package let newcomers: String
    let map: PlacementMap
    /// How long a call waits for a database that moves.
    private let patience: Duration
    private let watch: SiteWatch
    /// The places, by site, whose key mark was compared with the first site's.
    private let compared = Mutex<Set<SitePlace>>([])

    private struct SitePlace: Hashable {
        let site: String
        let place: Place
    }

    /// - Parameters:
    ///   - sites: by their names, at least the two named below.
    ///   - first: the name of the site that existing databases use.
    ///   - newcomers: the name of the site for new databases.
    ///   - patience: how long a call waits for a database that moves.
    ///   - keys: finds the keys that vouch for the map.
    package init(
        _ sites: [String: any SiteBackend], first: String, newcomers: String,
        patience: Duration = .seconds(5), keys: @escaping PlacementMap.KeyFinder
    ) {
        guard let home = sites[first], sites[newcomers] != nil else {
            preconditionFailure("the sites have the two that are named")
        }
        (self.sites, self.first, self.newcomers) = (sites, first, newcomers)
        self.patience = patience
        map = PlacementMap(home, keys: keys)
        watch = SiteWatch(sites.keys.sorted().compactMap { sites[$0] })
    }

    /// The site with a name.
    ///
    /// - Throws: `internalError` if the settings name no such site.
    package func site(_ name: String) throws(RecordError) -> any SiteBackend {
        guard let site = sites[name] else {
            throw RecordError(
                .internalError, "use a database: the settings have no database named \(name)")
        }
        return site
    }

    /// Runs a call at the home of a database.
    ///
    /// - Parameter body: can run more than once; a run that is refused has changed nothing.
    func route<R>(
        _ database: Database, isChange: Bool = false,
        _ body: (any SiteBackend, _ name: String) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        var wait = PlacementWait(patience)
        while true {
            var entry = try map.entry(of: database)
            if entry == nil, isChange { entry = try settle(database) }
            // A database without an entry is empty, unless it is older than the map.
            guard let entry else { return try body(try site(first), first) }
            let site = try site(entry.home)
            try compare(database.place, at: entry.home)
            do throws(RecordError) {
                let claim = HomeClaim(.client, entry.generation)
                return try body(site.claiming(claim), entry.home)
            } catch {
                guard error.hasMoved else { throw error }
                try followMove(of: database, from: entry, &wait)
            }
        }
    }

    /// Prepares for the next attempt of a call that a site has refused.
    ///
    /// - Throws: `unavailable` if the patience is at its end.
    private func followMove(
        of database: Database, from entry: PlacementEntry, _ wait: inout PlacementWait
    ) throws(RecordError) {
        guard let fresh = try map.read(database) else {
            throw RecordError(.damaged, "find a database: its entry in the map is gone")
        }
        guard fresh.entry.hasSameHome(as: entry) else { return }
        // The process that placed the database may have died before it made the row.
        if entry.generation == HomeRow.first.generation,
            try site(entry.home).moves.replaceHome(of: database, nil, with: .first)
        {
            return
        }
        // The mover may have died while no site was the home of the database.
        if try AccountMover(self, clock: { 0 }).takeOver(database) { return }
        // The map may be older than the move, if the map was restored from a backup.
        if fresh.entry.state == .settled,
            let home = try HomeSearch(self, database).newest(after: entry.generation)
        {
            _ = try map.replace(fresh, of: database, with: home)
            return
        }
        guard wait.take() else {
            var error = RecordError(
                .unavailable, "use a database: it moves to another site", retryAfter: 1)
            error.hasMoved = true
            throw error
        }
    }

    /// Gives a database without an entry its home.
    @discardableResult
    func settle(_ database: Database) throws(RecordError) -> PlacementEntry {
        let entry = try HomeSearch(self, database).home()
        // If this fails, another process was faster.
        _ = try map.replace(nil, of: database, with: entry)
        guard let known = try map.read(database) else {
            throw RecordError(.damaged, "place a database: its entry in the map is gone")
        }
        if known.entry == entry {
            _ = try site(entry.home).moves.replaceHome(of: database, nil, with: .first)
        }
        return known.entry
    }

    /// Checks once that a site has records of the same service as the first one.
    private func compare(_ place: Place, at name: String) throws(RecordError) {
        let key = SitePlace(site: name, place: place)
        guard name != first, !compared.withLock({ $0.contains(key) }) else { return }
        guard let mark = try site(first).document(PlaceDocument.keyMark, of: place) else { return }
        let site = try site(name)
        try site.moves.take(mark, named: PlaceDocument.keyMark, of: place, for: nil)
        guard try site.document(PlaceDocument.keyMark, of: place) == mark else {
            throw RecordError(
                .damaged, "use database \(name): it has records of another service")
        }
        _ = compared.withLock { $0.insert(key) }
    }

    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try watch.wait(after: commit, timeout: timeout)
    }
}

/// Pauses between attempts of a call.
private struct PlacementWait {
    private let deadline: ContinuousClock.Instant
    private var pause: Duration = .milliseconds(2)

    init(_ patience: Duration) { deadline = .now + patience }

    /// Waits; returns `false` at once if the patience is at its end.
    mutating func take() -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        Pause.sleep(for: min(pause, left))
        pause = min(pause * 2, .milliseconds(200))
        return true
    }
}
