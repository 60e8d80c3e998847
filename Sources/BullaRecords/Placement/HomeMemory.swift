internal import Synchronization

/// What a process remembers of the homes of databases.
///
/// What it remembers can be out of date. In that case, the site that is called refuses the call,
/// because the call does not fit the site's row for the database.
final class HomeMemory: Sendable {
    /// An entry, and the sites that have not yet answered whether they know of a later home.
    struct Remembered: Sendable {
        let entry: PlacementEntry
        let version: UInt64
        let unasked: Set<String>
    }

    private let homes = Mutex<[Database: Remembered]>([:])
    /// Sites that did not answer, and when they can be asked again.
    private let silent = Mutex<[String: ContinuousClock.Instant]>([:])

    private static let countLimit = 100_000
    private static let silence: Duration = .seconds(10)

    func home(of database: Database) -> Remembered? { homes.withLock { $0[database] } }

    func remember(_ known: PlacementMap.Known, unasked: Set<String>, _ database: Database) {
        let fresh = Remembered(entry: known.entry, version: known.version, unasked: unasked)
        homes.withLock { homes in
            // Another thread may have read a later entry.
            guard homes[database]?.version ?? 0 <= fresh.version else { return }
            if homes.count >= Self.countLimit { homes.removeAll() }
            homes[database] = fresh
        }
    }

    func forget(_ database: Database) {
        homes.withLock { _ = $0.removeValue(forKey: database) }
    }

    /// Notes that a site has not answered, so that callers do not ask it for a while.
    func noteSilence(of site: String) {
        silent.withLock { $0[site] = .now + Self.silence }
    }

    func isSilent(_ site: String) -> Bool {
        silent.withLock { silent in silent[site].map { $0 > .now } ?? false }
    }

    /// Lets one caller find out whether a site answers again, which can take a while; others do not
    /// ask it meanwhile.
    func beginAsking(_ site: String) {
        silent.withLock { if $0[site] != nil { $0[site] = .now + Self.silence } }
    }

    func noteAnswer(of site: String) {
        silent.withLock { _ = $0.removeValue(forKey: site) }
    }
}
