/// Makes a database usable again after a site has lost it.
///
/// A site loses a database if the site is restored to a time before the database came, or if the
/// site never comes back. Nobody but the operator knows the latter.
package struct HomeRepair {
    private let directory: SiteDirectory
    private let placed: PlacedBackend
    private let database: Database

    package init(_ placed: PlacedBackend, _ database: Database) {
        (directory, self.placed, self.database) = (placed.directory, placed, database)
    }

    /// What keeps a database from being used.
    package enum Finding: Hashable, Sendable {
        /// Nothing: a site has it.
        case none(home: String)
        /// A site has it; the other end of its move does not answer, or is not in the settings.
        case half(home: String, gone: String)
        /// Its site has lost it, or does not answer; another one has it as it was earlier.
        case former(home: String, gone: String)
        /// Its site was restored, and has it as it was during an earlier stay, or when it arrived.
        case older(home: String)
        /// Its site answers, and does not have it.
        case lost(home: String)
        /// Its site does not answer, has a damaged row, or is not in the settings.
        case away(home: String)
    }

    /// A site that still has the database, and can become its home again.
    private struct Giver {
        let name: String
        let row: HomeRow
        /// The site to which this one gave the database, or the one that has lost it.
        let other: String
        /// Whether the database may have been used elsewhere since it left this site.
        let isBehind: Bool
    }

    /// The map's entry and the rows of the sites that answer.
    private struct Rows {
        let known: PlacementMap.Known
        var rows: [String: HomeRow] = [:]
        var answering: Set<String> = []

        var entry: PlacementEntry { known.entry }

        /// The site that is the home by its own row; `nil` if the map, or the row of a site that
        /// has given the database up, has a higher generation.
        var home: (name: String, row: HomeRow)? {
            let newest = rows.filter { $1.isHome }.max { $0.value.generation < $1.value.generation }
            guard let (name, row) = newest, row.generation >= entry.generation else { return nil }
            let isGiven = rows.values.contains { $0.isGiven && $0.generation > row.generation }
            guard !isGiven else { return nil }
            return (name, row)
        }

        /// The site that can be the home again, if the one that ought to have the database has lost
        /// it, or does not answer.
        var giver: Giver? {
            let home = entry.home
            if case .moving(let target) = entry.state, !answering.contains(target),
                let row = rows[home], row.state == .gone, row.other == target,
                row.generation == entry.generation + 1
            {
                return Giver(name: home, row: row, other: target, isBehind: false)
            }
            guard hasLost(home) else { return nil }
            let complete = rows.filter { $1.isHome || [.gone, .arrived].contains($1.state) }
            let newest = complete.max { $0.value.completeness < $1.value.completeness }
            guard let (name, row) = newest, name != home || row.state == .gone else { return nil }
            let other = name == home ? row.other : home
            return Giver(name: name, row: row, other: other, isBehind: true)
        }

        /// Whether the map's home has lost the database, or does not answer.
        private func hasLost(_ home: String) -> Bool {
            guard answering.contains(home) else { return true }
            guard let row = rows[home] else { return entry.isContradicted(by: nil) }
            return entry.isContradicted(by: row) && !entry.hasArrived(row)
        }

        var finding: Finding {
            if let (name, _) = home {
                guard name == entry.home, let other = entry.other, !answering.contains(other)
                else { return .none(home: name) }
                return .half(home: name, gone: other)
            }
            if let giver {
                return giver.isBehind
                    ? .former(home: giver.name, gone: giver.other)
                    : .half(home: giver.name, gone: giver.other)
            }
            let name = entry.home
            guard answering.contains(name) else { return .away(home: name) }
            guard entry.isContradicted(by: rows[name]) else { return .none(home: name) }
            guard let row = rows[name], row.isHome || entry.hasArrived(row) else {
                return .lost(home: name)
            }
            return .older(home: name)
        }

        /// A generation that no site has, not even one that does not answer.
        ///
        /// - Throws: `damaged` if there is none.
        func nextGeneration() throws(RecordError) -> UInt64 {
            let newest = rows.values.reduce(entry.generation) { max($0, $1.generation) }
            guard newest < .max - 4 else {
                throw RecordError(.damaged, "place a database: its row's generation is too great")
            }
            // A site that does not answer may have a greater generation: the target of a move may
            // have `newest + 1`, and the source may have `newest + 2` if it has taken the database
            // back.
            return newest + 3
        }
    }

    /// Asks all sites what keeps the database from being used.
    package func look() throws(RecordError) -> Finding { try rows().finding }

    /// The site that has the database as it was at an earlier time, if its home has lost it.
    ///
    /// - Throws: `unavailable` if the other end of a move does not answer, and may have it.
    func former() throws(RecordError) -> String? {
        let found = try rows()
        if let other = found.entry.other, directory.sites[other] != nil,
            !found.answering.contains(other)
        {
            throw RecordError(
                .unavailable, "adopt a database: \(other), which may have it, does not answer",
                retryAfter: 1)
        }
        guard case .former(let home, _) = found.finding else { return nil }
        return home
    }

    private func rows() throws(RecordError) -> Rows {
        try directory.recoverMap(of: database.place)
        guard let known = try directory.map.read(database) else {
            throw RecordError(
                .invalidArguments,
                "give up a lost database: it was not used yet, so nothing is lost")
        }
        var found = Rows(known: known)
        for name in directory.names {
            do throws(RecordError) {
                found.rows[name] = try directory.home(of: database, at: name)
                found.answering.insert(name)
            } catch {}  // A site with a damaged row is as good as one that does not answer.
        }
        return found
    }

    /// Gives up what was lost with a site, so that the database can be used again.
    ///
    /// If one end of a move still has the database, the database stays there. If a site has the
    /// database as it was earlier, the database goes on there from that state. Otherwise it begins
    /// anew, empty, under a generation that is greater than all former ones: what the lost site has
    /// of the database counts for nothing, should that site ever come back.
    ///
    /// - Parameter target: where the database begins anew; by default where it was, if that site
    ///   answers, or else where new databases begin.
    /// - Returns: what was wrong.
    /// - Throws: `invalidArguments` if the database can be used without this, if it was not used
    ///   yet, or if the settings have no such target; `unavailable` if a mover works on it, or the
    ///   target does not answer.
    package func abandon(at target: String? = nil) throws(RecordError) -> Finding {
        let found = try rows()
        switch found.finding {
        case .none(let home):
            throw RecordError(
                .invalidArguments,
                "give up a lost database: \(home) has it; resume or cancel its move, if it moves")
        case .older(let home):
            throw RecordError(
                .invalidArguments,
                "give up a lost database: \(home) has it from an earlier stay; "
                    + "bulla-records placement restored lets it go on with that")
        case .half(let home, _):
            if let giver = found.giver {
                try takeBack(found, giver)
            } else {
                try endMove(found, at: home)
            }
        case .former: if let giver = found.giver { try takeBack(found, giver) }
        case .lost(let home), .away(let home):
            let isThere = found.answering.contains(home)
            try begin(found, at: target ?? (isThere ? home : directory.newcomers))
        }
        return found.finding
    }

    /// Settles a database at its home, without the deletion of what another site has of it.
    ///
    /// The home takes a generation that the other site never had: what that site has counts for
    /// nothing, if it comes back.
    private func endMove(_ found: Rows, at home: String) throws(RecordError) {
        guard let row = found.rows[home] else { throw AccountMover.overtaken }
        let generation = try found.nextGeneration()
        try replace(row, at: home, with: HomeRow(homeAfter: row, generation: generation))
        _ = try redirect(found.known, to: PlacementEntry(home, generation))
    }

    /// Makes the giver the home again.
    ///
    /// The map changes first. So if a mover takes the database over meanwhile, either this call or
    /// the mover succeeds, but not both.
    private func takeBack(_ found: Rows, _ giver: Giver) throws(RecordError) {
        let home = giver.name
        let generation = try found.nextGeneration()
        let state = giver.other.isEmpty ? .settled : PlacementEntry.State.moving(to: giver.other)
        let known = try redirect(found.known, to: PlacementEntry(home, generation, state))
        var here = HomeRow(homeAfter: giver.row, generation: generation)
        if giver.isBehind {
            // Another timeline makes clients start over, because their tokens may name changes that
            // are lost.
            here.timeline = HomeRow.BroughtTimeline(
                try .new(), arrival: try directory.site(home).siteTimeline())
        }
        try replace(giver.row, at: home, with: here)
        try settle(known, without: found.rows)
    }

    /// Begins an empty database at a site, and deletes what other sites that answer have of it.
    ///
    /// The map changes first, as in ``takeBack(_:_:)``.
    private func begin(_ found: Rows, at target: String) throws(RecordError) {
        guard directory.sites[target] != nil else {
            throw RecordError(
                .invalidArguments, "give up a lost database: the settings have none named \(target)"
            )
        }
        try directory.admit(database.place, at: target)
        let generation = try found.nextGeneration()
        let former = try directory.home(of: database, at: target)
        let known = try redirect(found.known, to: PlacementEntry(target, generation))
        let clearing = HomeRow(generation, .clearing, attempt: (former?.attempt ?? 0) + 1)
        try replace(former, at: target, with: clearing)
        try AccountMover(placed, clock: { 0 }).clean(database, at: target, generation)
        let here = HomeRow(generation, .here, attempt: clearing.attempt + 1)
        try replace(clearing, at: target, with: here)
        try settle(known, without: found.rows)
    }

    /// Deletes what other sites have of a database, and settles it at its home.
    private func settle(
        _ known: PlacementMap.Known, without rows: [String: HomeRow]
    ) throws(RecordError) {
        var known = known
        let entry = PlacementEntry(known.entry.home, known.entry.generation)
        let mover = AccountMover(placed, clock: { 0 })
        for name in rows.keys.sorted() where name != entry.home {
            let clearing = PlacementEntry(entry.home, entry.generation, .clearing(former: name))
            _ = try redirect(known, to: clearing)
            try mover.resume(database)
            known = try directory.placed(database)
            // Somebody may have begun to move it.
            guard known.entry == entry else { return }
        }
        if known.entry != entry { _ = try redirect(known, to: entry) }
    }

    private func replace(
        _ former: HomeRow?, at name: String, with next: HomeRow
    ) throws(RecordError) {
        guard try directory.replaceHome(of: database, at: name, former, with: next) else {
            throw AccountMover.overtaken
        }
    }

    /// Replaces the map's entry, and returns the new one.
    private func redirect(
        _ known: PlacementMap.Known, to entry: PlacementEntry
    ) throws(RecordError) -> PlacementMap.Known {
        guard try directory.map.replace(known, of: database, with: entry) else {
            throw AccountMover.overtaken
        }
        directory.memory.forget(database)
        return PlacementMap.Known(entry: entry, version: known.version + 1)
    }
}

extension HomeRow {
    /// Compares the rows of complete copies: the row of the newest copy has the greatest value.
    ///
    /// Of the rows with the same generation, the row of a home has the greatest value, because the
    /// copy there was changed last. Next comes the row of a site that has given the database up,
    /// and last the row of a site at which the database has arrived.
    fileprivate var completeness: (generation: UInt64, rank: Int) {
        (generation, isHome ? 2 : state == .gone ? 1 : 0)
    }
}
