/// A backend over several sites, each of which is the home of some databases.
///
/// A call goes to the site that the map names, with a claim that the site checks. If the site
/// refuses it, because the database has moved, the map is read again. While a database moves, calls
/// wait for a while, and then fail with `unavailable`. Only a few threads wait for a site that does
/// not answer, and only a few for moves: further calls fail at once.
///
/// After a restore of the first site, which has the map, the map can be older than the rows at the
/// other sites. So a process asks all sites before it uses a database for the first time; a site
/// that does not answer is asked later.
package final class PlacedBackend: RecordBackend {
    let directory: SiteDirectory
    /// Checks that keys vouch for a zone's head; throws `damaged` if they do not.
    package typealias HeadCheck =
        @Sendable (StoredZone, ContainerKeys) throws(RecordError) -> Void
    private let patience: SitePatience
    private let watch: SiteWatch
    private let waiters: MoveWaiters

    /// The maximum number of attempts at a call.
    private static let attemptCount = 1_000

    /// - Parameters:
    ///   - sites: the sites by their names, including the two named below.
    ///   - first: the name of the site that has the map, and all databases that are older than the
    ///     map.
    ///   - newcomers: the name of the site for new databases.
    ///   - patience: how long callers wait, and how many of them may.
    ///   - checkHead: checks that the container's keys vouch for a zone's head.
    ///   - keys: finds the keys that vouch for the map.
    package init(
        _ sites: [String: any SiteBackend], first: String, newcomers: String,
        patience: SitePatience = SitePatience(), checkHead: @escaping HeadCheck,
        keys: @escaping PlacementMap.KeyFinder
    ) {
        directory = SiteDirectory(
            sites, first: first, newcomers: newcomers, patience: patience,
            checkHead: checkHead, keys: keys)
        self.patience = patience
        waiters = MoveWaiters(limit: patience.callerLimit)
        watch = SiteWatch(directory)
    }

    package var sites: [String: any SiteBackend] { directory.sites }

    /// The site with a name.
    ///
    /// - Throws: `internalError` if the settings name no such site.
    package func site(_ name: String) throws(RecordError) -> any SiteBackend {
        try directory.site(name)
    }

    /// Runs a call at the home of a database.
    ///
    /// - Parameters:
    ///   - waits: whether the call waits for a while if the database moves.
    ///   - body: can run more than once; a run that is refused has changed nothing.
    func route<R>(
        _ database: Database, waits: Bool = true,
        _ body: (any SiteBackend, _ name: String) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        var wait = PlacementWait(waits ? patience.moving : .zero)
        for _ in 0..<Self.attemptCount {
            let entry = try directory.entry(of: database)
            do throws(RecordError) {
                try directory.admit(database.place, at: entry.home)
                return try directory.call(entry.home) { site throws(RecordError) in
                    let claim = HomeClaim(.client, entry.generation)
                    return try body(site.claiming(claim), entry.home)
                }
            } catch {
                guard error.hasMoved else { throw error }
                try followMove(of: database, from: entry, &wait)
            }
        }
        throw .moved("use a database: its home keeps changing")
    }

    /// Prepares for the next attempt of a call that a site has refused.
    ///
    /// - Throws: `unavailable` if the call has waited for as long as it may, or if too many others
    ///   wait; `damaged` if the site was restored to a time before the database came to it.
    private func followMove(
        of database: Database, from entry: PlacementEntry, _ wait: inout PlacementWait
    ) throws(RecordError) {
        // The map may be older than the move: ask all sites once more.
        if wait.isFirst { directory.memory.forget(database) }
        let hasLeft = try !directory.placed(database).entry.hasSameHome(as: entry)
        if hasLeft, wait.skip() { return }
        // The site may give wrong answers, or be slow, so only a few callers look at it at a time.
        let mayRepeat = try waiters.pass { () throws(RecordError) -> Bool in
            if !hasLeft, try bringHome(database, entry), wait.skip() { return true }
            return wait.take()
        }
        guard mayRepeat else { throw .moved("use a database: it moves to another site") }
    }

    /// Does what a process that died has left undone at the home of a database.
    ///
    /// - Returns: whether there was something to do.
    private func bringHome(
        _ database: Database, _ entry: PlacementEntry
    ) throws(RecordError) -> Bool {
        let row = try directory.call(entry.home) { site throws(RecordError) in
            try directory.home(of: database, at: entry.home, site)
        }
        // The process that placed the database may have died before it made the row.
        if row == nil, entry.generation == HomeRow.first.generation {
            return try directory.call(entry.home) { site throws(RecordError) in
                try directory.replaceHome(of: database, at: entry.home, site, nil, with: .first)
            }
        }
        // The mover may have died while no site was the home of the database.
        if [.gone, .arrived].contains(row?.state),
            try AccountMover(self, clock: { 0 }).takeOver(database)
        {
            return true
        }
        guard !entry.isContradicted(by: row) else { throw .lost(at: entry.home) }
        return false
    }

    /// Waits until a site has changed.
    ///
    /// A change at a site that does not answer is seen once it answers again.
    ///
    /// - Throws: `unavailable` if no site answers.
    /// - Complexity: asks each site for its count immediately, again after 10 milliseconds, and
    ///   then less and less often, down to five times a second. Each waiting call asks the sites
    ///   separately.
    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        try watch.wait(after: commit, timeout: timeout)
    }
}

/// Pauses between attempts of a call.
private struct PlacementWait {
    private let deadline: ContinuousClock.Instant
    private var backoff = Backoff(.milliseconds(2), upTo: .milliseconds(200))
    private var skipCount = 0
    private(set) var isFirst = true

    /// How often a call may be tried again without a pause, because something has changed.
    private static let skipLimit = 2

    init(_ patience: Duration) { deadline = .now + patience }

    /// Returns whether the next attempt may follow without a pause; at most ``skipLimit`` attempts
    /// may do so.
    mutating func skip() -> Bool {
        guard skipCount < Self.skipLimit else { return false }
        skipCount += 1
        isFirst = false
        return true
    }

    /// Waits; returns `false` at once if the call has waited for as long as it may.
    mutating func take() -> Bool {
        isFirst = false
        return backoff.take(until: deadline)
    }
}
