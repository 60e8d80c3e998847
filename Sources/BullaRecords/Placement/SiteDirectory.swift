internal import Synchronization

/// The sites of a service, the map that says which of them is the home of a database, and what this
/// process knows of them.
final class SiteDirectory: Sendable {
    let sites: [String: any SiteBackend]
    /// The names of the sites, sorted.
    let names: [String]
    /// The name of the site that has the map, the schemas, and all databases that are older than
    /// the map.
    let first: String
    /// The name of the site for new databases.
    let newcomers: String
    let map: PlacementMap
    let memory = HomeMemory()
    private let gates: [String: SiteGate]
    private let checkHead: PlacedBackend.HeadCheck
    /// The sites that were admitted, for each place.
    private let admitted = Mutex<Set<SitePlace>>([])
    /// The places whose map is known to be complete.
    private let recovered = Mutex<Set<Place>>([])

    /// The maximum number of attempts to change the map.
    private static let attemptCount = 1_000

    private struct SitePlace: Hashable {
        let site: String
        let place: Place
    }

    init(
        _ sites: [String: any SiteBackend], first: String, newcomers: String,
        patience: SitePatience, checkHead: @escaping PlacedBackend.HeadCheck,
        keys: @escaping PlacementMap.KeyFinder
    ) {
        guard let home = sites[first], sites[newcomers] != nil else {
            preconditionFailure("the sites have the two that are named")
        }
        (self.sites, self.first, self.newcomers) = (sites, first, newcomers)
        names = sites.keys.sorted()
        self.checkHead = checkHead
        gates = sites.mapValues { _ in SiteGate(patience) }
        map = PlacementMap(home, keys: keys)
    }

    /// The site with a name.
    ///
    /// - Throws: `internalError` if the settings name no such site.
    func site(_ name: String) throws(RecordError) -> any SiteBackend {
        guard let site = sites[name] else { throw .absent(name) }
        return site
    }

    /// Runs a call at a site.
    ///
    /// At a site that has just failed, the call is not repeated. An error that the call throws is
    /// taken for an error of the site, so the call must not use another site.
    ///
    /// - Parameter isPatient: whether the call is repeated if it fails.
    /// - Throws: what the call throws; `unavailable`, without running it, if too many calls wait
    ///   for the site.
    func call<R>(
        _ name: String, isPatient: Bool = true,
        _ body: (any SiteBackend) throws(RecordError) -> R
    ) throws(RecordError) -> R {
        let site = try site(name)
        let wasSilent = memory.isSilent(name)
        let present = isPatient && !wasSilent ? site : site.impatient()
        var isAsked = false
        do throws(RecordError) {
            let value = try pass(name) { () throws(RecordError) in
                isAsked = true
                return try body(present)
            }
            if wasSilent { memory.noteAnswer(of: name) }
            return value
        } catch {
            guard isAsked else { throw error }
            if error.isSilence {
                memory.noteSilence(of: name)
            } else if wasSilent {
                memory.noteAnswer(of: name)
            }
            throw error
        }
    }

    /// Runs a call at each site; throws the first error, after it has tried all sites.
    func callAll(_ body: (any SiteBackend) throws(RecordError) -> Void) throws(RecordError) {
        var failure: RecordError?
        for name in names {
            do throws(RecordError) { try call(name, body) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private func pass<R>(
        _ name: String, _ body: () throws(RecordError) -> R
    ) throws(RecordError) -> R {
        guard let gate = gates[name] else { return try body() }
        return try gate.pass(name, body)
    }

    /// Checks that the container's keys vouch for a zone's head, and so for the database to which
    /// this life of the zone belongs.
    ///
    /// - Throws: `damaged` if they do not.
    func check(_ head: StoredZone) throws(RecordError) {
        try checkHead(head, map.keys(of: head.database.place))
    }

    /// The remembered entry of a database; the present one if none is remembered, or if a site that
    /// has not answered yet can be asked again.
    func entry(of database: Database) throws(RecordError) -> PlacementEntry {
        if let known = memory.home(of: database),
            known.unasked.allSatisfy({ memory.isSilent($0) })
        {
            return known.entry
        }
        return try placed(database).entry
    }

    /// The present entry of a database; if there is none, the database gets a home and an entry.
    ///
    /// The call also asks each site that has not yet told this process what it knows of the
    /// database; if a site knows of a later home, the call replaces the entry. A site that did not
    /// answer is asked again only after a while, so most calls only read the entry.
    ///
    /// - Throws: `unavailable` if the first site does not answer, if the database has gone to a
    ///   site that does not answer, or if its entry keeps changing; `damaged` if the keys do not
    ///   vouch for the entry; what ``recoverMap(of:)`` throws.
    func placed(_ database: Database) throws(RecordError) -> PlacementMap.Known {
        try recoverMap(of: database.place)
        for _ in 0..<Self.attemptCount {
            guard let known = try known(database) else {
                try settle(database)
                continue
            }
            var unasked = memory.home(of: database)?.unasked ?? Set(names)
            if !unasked.isEmpty {
                let found = HomeSearch(self, database).ask(unasked.sorted())
                if let newer = try found.newer(than: known.entry) {
                    _ = try replace(known, of: database, with: newer)
                    continue
                }
                unasked = found.silent
            }
            memory.remember(known, unasked: unasked, database)
            return known
        }
        throw RecordError(
            .unavailable, "find a database: its entry in the map keeps changing", retryAfter: 1)
    }

    /// The map's present entry of a database; `nil` if it has none.
    func known(_ database: Database) throws(RecordError) -> PlacementMap.Known? {
        try call(first) { site throws(RecordError) in try map.read(database, at: site) }
    }

    /// Replaces the map's entry; returns `false` if it is no longer `former`.
    func replace(
        _ former: PlacementMap.Known?, of database: Database, with entry: PlacementEntry
    ) throws(RecordError) -> Bool {
        try call(first) { site throws(RecordError) in
            try map.replace(former, of: database, with: entry, at: site)
        }
    }

    /// Gives a home, and an entry, to a database that has no entry.
    private func settle(_ database: Database) throws(RecordError) {
        let entry = try HomeSearch(self, database).settlement()
        // If this returns `false`, another process was faster.
        let isMade = try replace(nil, of: database, with: entry)
        guard isMade, entry.generation == HomeRow.first.generation else { return }
        _ = try call(entry.home) { site throws(RecordError) in
            try replaceHome(of: database, at: entry.home, site, nil, with: .first)
        }
    }

    /// Makes sure, once per process, that the map of a place is not older than the sites' rows.
    ///
    /// If the first site was restored, the call asks all sites about all databases of the place. It
    /// then writes to the first site the later homes and the newer schema that it has found, and
    /// notes the first site's timeline there. Otherwise it admits the sites that answer; see
    /// ``admit(_:at:isPatient:)``.
    ///
    /// - Throws: `unavailable` if the first site does not answer, or if it was restored and another
    ///   one does not; `damaged` if the keys do not vouch for what it reads.
    func recoverMap(of place: Place) throws(RecordError) {
        guard !recovered.withLock({ $0.contains(place) }) else { return }
        // A container that was never opened has no keys, and nothing is stored in it.
        guard try keyMark(of: place, isPatient: true) != nil else { return }
        try MapRecovery(self, place).run()
        _ = recovered.withLock { $0.insert(place) }
    }

    /// Makes sure, once per process, that a site's records belong to the first site's service, that
    /// no other name is noted there, and that its schema is not newer than the first site's.
    ///
    /// A site without a key mark gets that of the first site. If the site's schema is newer, the
    /// first site was restored, and gets the schema back.
    ///
    /// - Parameter isPatient: whether calls that fail are repeated.
    /// - Throws: `damaged` if the site has the key mark of another service, another name, a schema
    ///   that differs from the first site's although it has the same version, or a newer schema for
    ///   which the container's keys do not vouch; `unavailable` if this site or the first one does
    ///   not answer.
    func admit(
        _ place: Place, at name: String, isPatient: Bool = true
    ) throws(RecordError) {
        let key = SitePlace(site: name, place: place)
        guard name != first, !admitted.withLock({ $0.contains(key) }),
            let mark = try keyMark(of: place, isPatient: isPatient)
        else { return }
        try call(name, isPatient: isPatient) { site throws(RecordError) in
            if let found = try site.document(PlaceDocument.keyMark, of: place) {
                guard found.bytes == mark.bytes else {
                    throw RecordError(
                        .damaged, "use database \(name): it has records of another service")
                }
            } else {
                try site.moves.take(mark, named: PlaceDocument.keyMark, of: place, for: nil)
            }
        }
        // The first site notes its name before this one does. So if both are the same database,
        // this site is refused, and not the first one.
        for name in [first, name] { try checkName(name, of: place, isPatient: isPatient) }
        try bringBackSchema(of: place, from: name, isPatient: isPatient)
        _ = admitted.withLock { $0.insert(key) }
    }

    /// The first site's key mark, which all other sites must have, too.
    private func keyMark(
        of place: Place, isPatient: Bool
    ) throws(RecordError) -> StoredDocument? {
        try call(first, isPatient: isPatient) { site throws(RecordError) in
            try site.document(PlaceDocument.keyMark, of: place)
        }
    }

    /// Notes a site's name at that site, or checks the name that is already noted there.
    ///
    /// If the settings give one site two names, or if the site is a copy of another one, the other
    /// name is noted at the site. A noted name only serves to refuse the site at which it is noted,
    /// so a site that claims another site's name cannot keep that other site from being used.
    private func checkName(
        _ name: String, of place: Place, isPatient: Bool
    ) throws(RecordError) {
        let bytes = Array(name.utf8)
        let noted = try call(name, isPatient: isPatient) {
            site throws(RecordError) -> StoredDocument? in
            if let noted = try site.document(PlaceDocument.siteName, of: place) { return noted }
            // If this returns `false`, another process was faster.
            _ = try site.replace(PlaceDocument.siteName, of: place, version: 0, with: bytes)
            return try site.document(PlaceDocument.siteName, of: place)
        }
        guard noted?.bytes == bytes else {
            let other = names.first { Array($0.utf8) == noted?.bytes } ?? "one of another name"
            throw RecordError(
                .damaged, "use database \(name): it is the same one as \(other), or a copy of it")
        }
    }
}
