internal import Synchronization

/// The map of databases to sites: a document for each database, at the first site.
///
/// A *place* is a container in one of its environments. A *database* is what one account owns in a
/// place, or what is public there, and moves as a whole. A *site* is where records are stored: an
/// embedded store, or a database at a PostgreSQL server. (Operators call a site a database.) The
/// *home* of a database is the one site at which clients read and change it.
///
/// The container's key vouches for each entry. An entry can be out of date. In that case, the site
/// that is called refuses the call, because the call does not fit the site's row for the database.
package final class PlacementMap: Sendable {
    /// Finds the keys of a place, which vouch for its entries.
    package typealias KeyFinder = @Sendable (Place) throws(RecordError) -> ContainerKeys

    /// An entry, and the version of its document.
    struct Known: Hashable, Sendable {
        let entry: PlacementEntry
        let version: UInt64
    }

    private let site: any RecordBackend
    private let find: KeyFinder
    private let keys = Mutex<[Place: ContainerKeys]>([:])

    init(_ site: any RecordBackend, keys find: @escaping KeyFinder) {
        (self.site, self.find) = (site, find)
    }

    /// Reads the present entry of a database; `nil` if it has none.
    ///
    /// - Parameter site: the first site, perhaps as ``SiteBackend/impatient()`` returns it.
    func read(
        _ database: Database, at site: (any RecordBackend)? = nil
    ) throws(RecordError) -> Known? {
        let (site, place) = (site ?? self.site, database.place)
        guard let stored = try site.document(Self.name(database), of: place) else { return nil }
        guard let body = try voucher(database, stored.version).body(of: stored.bytes),
            let entry = PlacementEntry(body)
        else {
            throw RecordError(
                .damaged,
                "find a database: the container's keys do not vouch for its entry in the map")
        }
        return Known(entry: entry, version: stored.version)
    }

    /// Replaces an entry; returns `false` if it is no longer `former`.
    ///
    /// - Parameter site: the first site, perhaps as ``SiteBackend/impatient()`` returns it.
    func replace(
        _ former: Known?, of database: Database, with entry: PlacementEntry,
        at site: (any RecordBackend)? = nil
    ) throws(RecordError) -> Bool {
        let version = former?.version ?? 0
        guard version < .max else {
            throw RecordError(.damaged, "place a database: its entry's version is too great")
        }
        let bytes = try voucher(database, version + 1).vouched(entry.bytes)
        return try (site ?? self.site).replace(
            Self.name(database), of: database.place, version: version, with: bytes)
    }

    private static func name(_ database: Database) -> String {
        "home of \(database.owner?.identifier.text ?? "the public database")"
    }

    private func voucher(_ database: Database, _ version: UInt64) throws(RecordError) -> Voucher {
        var tuple = ByteTuple("bulla records home v1", database.place)
        tuple.append(database.owner)
        tuple.append(version)
        return Voucher(try keys(of: database.place).directory, tuple)
    }

    /// The keys of a place.
    func keys(of place: Place) throws(RecordError) -> ContainerKeys {
        if let found = keys.withLock({ $0[place] }) { return found }
        let found = try find(place)
        keys.withLock { $0[place] = found }
        return found
    }
}

/// The timeline that the first site had when the map of a place was last known to be complete.
///
/// A restore of the first site begins another timeline, and brings back an old map.
extension PlacementMap {
    private static let stateName = "map of homes"

    /// The timeline, and the version of its document; `nil` if none is noted.
    ///
    /// - Parameter site: the first site, perhaps as ``SiteBackend/impatient()`` returns it.
    func timeline(
        of place: Place, at site: any RecordBackend
    ) throws(RecordError) -> (timeline: RandomIdentifier, version: UInt64)? {
        guard let stored = try site.document(Self.stateName, of: place) else { return nil }
        guard let body = try stateVoucher(place, stored.version).body(of: stored.bytes),
            let timeline = RandomIdentifier(bytes: body)
        else {
            throw RecordError(
                .damaged, "find databases: the container's keys do not vouch for the map's state")
        }
        return (timeline, stored.version)
    }

    /// Notes the timeline; returns `false` if the document has changed since `version`.
    ///
    /// - Parameter site: the first site, perhaps as ``SiteBackend/impatient()`` returns it.
    func note(
        _ timeline: RandomIdentifier, of place: Place, over version: UInt64,
        at site: any RecordBackend
    ) throws(RecordError) -> Bool {
        guard version < .max else {
            throw RecordError(.damaged, "place databases: the map's version is too great")
        }
        let bytes = try stateVoucher(place, version + 1).vouched(timeline.bytes)
        return try site.replace(Self.stateName, of: place, version: version, with: bytes)
    }

    private func stateVoucher(
        _ place: Place, _ version: UInt64
    ) throws(RecordError) -> Voucher {
        var tuple = ByteTuple("bulla records map of homes v1", place)
        tuple.append(version)
        return Voucher(try keys(of: place).directory, tuple)
    }
}
