package import BullaCipher
internal import Synchronization

/// The map of databases to sites: a document for each database, at the first site.
///
/// The container's key vouches for each entry. A process remembers the entries that it has read;
/// a remembered entry can be old, and the rows at the sites then refuse the call.
package final class PlacementMap: Sendable {
    /// Finds the key that vouches for the entries of a place.
    package typealias KeyFinder = @Sendable (Place) throws(RecordError) -> HMAC

    /// An entry, and the version of its document.
    struct Known: Hashable, Sendable {
        let entry: PlacementEntry
        let version: UInt64
    }

    private let site: any RecordBackend
    private let find: KeyFinder
    private let keys = Mutex<[Place: HMAC]>([:])
    private let known = Mutex<[Database: Known]>([:])

    private static let countLimit = 100_000

    init(_ site: any RecordBackend, keys find: @escaping KeyFinder) {
        (self.site, self.find) = (site, find)
    }

    /// The entry of a database as it was last read; `nil` if it has none.
    func entry(of database: Database) throws(RecordError) -> PlacementEntry? {
        if let known = known.withLock({ $0[database] }) { return known.entry }
        return try read(database)?.entry
    }

    /// Reads the present entry of a database.
    func read(_ database: Database) throws(RecordError) -> Known? {
        let place = database.place
        guard let stored = try site.document(Self.name(database), of: place) else { return nil }
        guard let body = try voucher(database, stored.version).body(of: stored.bytes),
            let entry = PlacementEntry(body)
        else {
            throw RecordError(
                .damaged,
                "find a database: the container's keys do not vouch for its entry in the map")
        }
        let fresh = Known(entry: entry, version: stored.version)
        remember(fresh, database)
        return fresh
    }

    /// Replaces an entry; returns `false` if it is no longer `former`.
    func replace(
        _ former: Known?, of database: Database, with entry: PlacementEntry
    ) throws(RecordError) -> Bool {
        let version = former?.version ?? 0
        guard version < .max else {
            throw RecordError(.damaged, "place a database: its entry's version is too great")
        }
        let bytes = try voucher(database, version + 1).vouched(entry.bytes)
        let isReplaced = try site.replace(
            Self.name(database), of: database.place, version: version, with: bytes)
        if isReplaced { remember(Known(entry: entry, version: version + 1), database) }
        return isReplaced
    }

    private func remember(_ fresh: Known, _ database: Database) {
        known.withLock { known in
            // Another thread may have read a later entry.
            guard known[database]?.version ?? 0 < fresh.version else { return }
            if known.count >= Self.countLimit { known.removeAll() }
            known[database] = fresh
        }
    }

    private static func name(_ database: Database) -> String {
        "home of \(database.owner?.identifier.text ?? "the public database")"
    }

    private func voucher(_ database: Database, _ version: UInt64) throws(RecordError) -> Voucher {
        var tuple = ByteTuple("bulla records home v1", database.place)
        tuple.append(database.owner)
        tuple.append(version)
        return Voucher(try key(database.place), tuple)
    }

    private func key(_ place: Place) throws(RecordError) -> HMAC {
        if let key = keys.withLock({ $0[place] }) { return key }
        let key = try find(place)
        keys.withLock { $0[place] = key }
        return key
    }
}
