/// Brings the map of a place up to date after a restore of the first site, which has the map.
///
/// A restored site begins another timeline. While the map's state names a timeline other than the
/// first site's, no database of the place is used: every site must answer first, and the newest row
/// of each database then says where its home is. Each step replaces one document, if nobody has
/// changed it since the step read it; so a recovery can stop at any point, and several can run at
/// once.
struct MapRecovery {
    private let directory: SiteDirectory
    private let place: Place

    private static let attemptCount = 10

    init(_ directory: SiteDirectory, _ place: Place) {
        (self.directory, self.place) = (directory, place)
    }

    /// - Throws: `unavailable` if the first site was restored and a site does not answer.
    func run() throws(RecordError) {
        for _ in 0..<Self.attemptCount {
            let first = directory.first
            let (timeline, noted) = try directory.call(first) { site throws(RecordError) in
                (try site.siteTimeline(), try directory.map.timeline(of: place, at: site))
            }
            guard noted?.timeline != timeline else { return compare() }
            try recover()
            let isNoted = try directory.call(first) { site throws(RecordError) in
                try directory.map.note(
                    timeline, of: place, over: noted?.version ?? 0, at: site)
            }
            if isNoted { return }
        }
        throw RecordError(
            .unavailable, "find databases: the map's state keeps changing", retryAfter: 1)
    }

    /// Compares the sites that answer with the first one, which somebody may have restored without
    /// giving it another timeline.
    private func compare() {
        for name in directory.names where !directory.memory.isSilent(name) {
            // A site that fails now is compared later, before it is first used.
            try? directory.admit(place, at: name, isPatient: false)
        }
    }

    private func recover() throws(RecordError) {
        for name in directory.names { try directory.admit(place, at: name) }
        var found: [Database: HomeSearch.Found] = [:]
        for name in directory.names {
            // As in a search, a row for which nobody vouches counts for nothing.
            for case (let database, let row?) in try directory.homes(of: place, at: name) {
                found[database, default: HomeSearch.Found()].note(row, at: name)
            }
        }
        for (database, rows) in found { try recover(database, rows) }
    }

    private func recover(
        _ database: Database, _ rows: HomeSearch.Found
    ) throws(RecordError) {
        for _ in 0..<Self.attemptCount {
            let known = try directory.known(database)
            guard let newer = try rows.newer(than: known?.entry) else { return }
            if try directory.replace(known, of: database, with: newer) { return }
        }
        throw RecordError(
            .unavailable, "find a database: its entry in the map keeps changing", retryAfter: 1)
    }
}
