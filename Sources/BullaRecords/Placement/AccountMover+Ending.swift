/// The last steps of a move.
extension AccountMover {
    /// Makes the target the home of the database, first in the target's row, and then in the map.
    ///
    /// - Parameter gone: the row of the former home, which has given the database up.
    func arrive(_ move: Move, _ gone: HomeRow) throws(RecordError) {
        var row = try directory.home(of: move.database, at: move.target)
        if let arrived = row, arrived.state == .arrived, arrived.generation == move.next,
            arrived.attempt == gone.attempt, arrived.other == move.home
        {
            try takeOver(move.database, at: move.target, arrived)
            row = try directory.home(of: move.database, at: move.target)
        }
        guard let row, row.isHome, row.generation == move.next else {
            return try takeBack(move, gone, row)
        }
        try probe(.redirect)
        let entry = PlacementEntry(move.target, move.next, .clearing(former: move.home))
        _ = try directory.map.replace(move.known, of: move.database, with: entry)
    }

    /// Makes a site the home of a database that has arrived there and that its former home has
    /// given up.
    func takeOver(
        _ database: Database, at site: String, _ arrived: HomeRow
    ) throws(RecordError) {
        try probe(.takeOver)
        var here = HomeRow(arrived.generation, .here, attempt: arrived.attempt)
        here.timeline = arrived.timeline
        _ = try directory.replaceHome(of: database, at: site, arrived, with: here)
    }

    /// Gives the database back to its former home, after the target was restored to a time before
    /// the copy was complete.
    ///
    /// The former home still has everything, as its row says. It takes a generation that the target
    /// never had: from then on, the target's row counts for nothing, even if another restore brings
    /// back a complete copy.
    private func takeBack(
        _ move: Move, _ gone: HomeRow, _ row: HomeRow?
    ) throws(RecordError) {
        guard try directory.map.read(move.database) == move.known else { return }
        let present = try directory.home(of: move.database, at: move.home)
        guard let present, present == gone else { throw Self.overtaken }
        guard (row?.generation ?? 0) <= move.next else {
            throw RecordError(
                .damaged, "move a database: the row at \(move.target) contradicts the map")
        }
        guard move.next < .max - 2 else {
            throw RecordError(.damaged, "move a database: its row's generation is too great")
        }
        try probe(.takeBack)
        var sending = HomeRow(present, generation: move.next + 1)
        // Take a new number, so that the mover of the lost copy can do nothing under this row.
        sending.attempt = try nextAttempt(present, row)
        sending.state = .sending
        // A new timeline makes clients start over: the target may have served them before it was
        // restored.
        sending.timeline = HomeRow.BroughtTimeline(
            try .new(), arrival: try directory.site(move.home).siteTimeline())
        guard
            try directory.replaceHome(
                of: move.database, at: move.home, present, with: sending)
        else { throw Self.overtaken }
        let entry = PlacementEntry(move.home, move.next + 1, .moving(to: move.target))
        _ = try directory.map.replace(move.known, of: move.database, with: entry)
    }

    /// Deletes what a move has left behind: at the former home, or at the target if the database
    /// stays.
    func finish(
        _ database: Database, _ known: PlacementMap.Known, _ former: String
    ) throws(RecordError) {
        let entry = known.entry
        guard former != entry.home,
            let row = try directory.home(of: database, at: entry.home)
        else { return try expectOther(database, known) }
        if row.state == .gone, row.generation == entry.generation + 1 {
            // The move was cancelled too late: the database had already left. Go on with the move.
            let moving = PlacementEntry(entry.home, entry.generation, .moving(to: row.other))
            _ = try directory.map.replace(known, of: database, with: moving)
            return
        }
        if entry.hasArrived(row) { return try takeOver(database, at: entry.home, row) }
        guard row.generation == entry.generation, row.isHome else {
            return try expectOther(database, known)
        }
        let rest = try directory.home(of: database, at: former)
        if row.state != .here || !entry.hasCome(from: rest) {
            // The move was cancelled. Replace the row even if it says "here": a mover may have read
            // it and be about to take a number.
            try probe(.unfence)
            let here = HomeRow(homeAfter: row, generation: row.generation)
            guard try directory.replaceHome(of: database, at: entry.home, row, with: here) else {
                throw Self.overtaken
            }
        }
        try probe(.clean)
        try empty(database, at: former, rest, known)
        try probe(.settle)
        let settled = PlacementEntry(entry.home, entry.generation)
        _ = try directory.map.replace(known, of: database, with: settled)
    }

    /// - Throws: `damaged` if the map still has this entry, and no site knows of a later home.
    private func expectOther(
        _ database: Database, _ known: PlacementMap.Known
    ) throws(RecordError) {
        guard try isLatest(known, of: database) else { return }
        throw RecordError(
            .damaged,
            "finish a move: \(known.entry.home) does not have the database that the map says")
    }

    /// Deletes what a site has of a database whose home is elsewhere.
    ///
    /// - Parameter row: the site's row, read after the entry.
    private func empty(
        _ database: Database, at name: String, _ row: HomeRow?, _ known: PlacementMap.Known
    ) throws(RecordError) {
        // If the database was arriving here, its move was cancelled, and the row's generation may
        // be greater by one than the entry's.
        let isArriving = [.clearing, .arriving, .arrived].contains(row?.state)
        let entry = known.entry
        let limit =
            if isArriving { entry.generation + 1 } else {
                row?.isGiven == true ? entry.generation : entry.generation - 1
            }
        guard (row?.generation ?? 0) <= limit else {
            throw RecordError(.damaged, "finish a move: \(name) is a home, too")
        }
        let next = HomeRow(
            max(entry.generation, row?.generation ?? 0), isArriving ? .clearing : .emptied,
            other: entry.home, attempt: (row?.attempt ?? 0) + 1)
        try expectHome(of: database, entry)
        // As long as the map has this entry, the row cannot be that of a later move, which would
        // have changed the map first.
        guard try directory.map.read(database) == known,
            try directory.replaceHome(of: database, at: name, row, with: next)
        else { throw Self.overtaken }
        do throws(RecordError) { try expectHome(of: database, entry) } catch {
            if var former = row {
                former.attempt = next.attempt + 1
                _ = try directory.replaceHome(of: database, at: name, next, with: former)
            }
            throw error
        }
        try clean(database, at: name, next.generation)
    }

    /// Checks, before anything is deleted elsewhere, that the home still has the database: its site
    /// may have been restored, or have died, while this mover slept.
    private func expectHome(
        of database: Database, _ entry: PlacementEntry
    ) throws(RecordError) {
        let row = try directory.home(of: database, at: entry.home)
        guard let row, row.isHome, row.generation == entry.generation else { throw Self.overtaken }
    }

    /// Deletes what a site has of a database, under a row that lets nobody use the database there.
    func clean(
        _ database: Database, at name: String, _ generation: UInt64
    ) throws(RecordError) {
        let site = try directory.site(name).claiming(HomeClaim(.remover, generation))
        for zone in try site.zones(in: database) { _ = try site.delete(ZoneLife(zone)) }
        try site.moves.clear(PlaceDocument.all(of: database.owner), of: database)
    }
}
