/// The steps of a move until the source has given the database up.
extension AccountMover {
    /// Takes a number, copies the database, lets the source give it up, and makes the target its
    /// home.
    func send(
        _ move: Move, _ row: HomeRow, to sinkRow: HomeRow?
    ) throws(RecordError) {
        var mine = row
        (mine.attempt, mine.other, mine.isStale) =
            (try nextAttempt(row, sinkRow), move.target, false)
        // If another mover has left a fence (the state "leaving"), take it down, so that clients
        // can change the database while most of it is copied.
        mine.state = .sending
        let goesOn = try goesOn(row, sinkRow, move)
        if !goesOn { mine.copy = try .new() }
        try probe(.take)
        try replace(move.home, move, row, with: mine)
        try expectMove(move, mine)
        let arriving = try receive(move, mine, over: sinkRow, goesOn: goesOn)
        try arrive(move, try copy(move, mine, arriving))
    }

    /// Checks, once this mover has its number, that the database is still to be moved.
    ///
    /// A cancellation first changes the map, and then takes the number from the mover that has it.
    /// If another mover takes a number after that, it finds here that the map has changed.
    private func expectMove(_ move: Move, _ mine: HomeRow) throws(RecordError) {
        guard try directory.map.read(move.database) != move.known else { return }
        let here = HomeRow(homeAfter: mine, generation: mine.generation)
        try replace(move.home, move, mine, with: here)
        throw Self.overtaken
    }

    /// The number of the next mover.
    func nextAttempt(
        _ row: HomeRow, _ sinkRow: HomeRow?
    ) throws(RecordError) -> UInt64 {
        let last = max(row.attempt, sinkRow?.attempt ?? 0)
        guard last < .max - 1 else {
            throw RecordError(.damaged, "move a database: too many movers had a number")
        }
        return last + 1
    }

    /// Whether this mover can go on with the copy that the source's row names.
    ///
    /// It can if the target has at least a part of that copy and if, since the copy began, no
    /// record's place in an index has changed at the source, and neither site has been restored.
    private func goesOn(
        _ row: HomeRow, _ sinkRow: HomeRow?, _ move: Move
    ) throws(RecordError) -> Bool {
        guard row.other == move.target, !row.isStale, let copy = row.copy, let sinkRow,
            [.arriving, .arrived].contains(sinkRow.state), sinkRow.generation == move.next,
            sinkRow.other == move.home, sinkRow.copy == copy,
            // A mover takes its number at the source first, so a greater one at the target shows
            // that the source's files were put back.
            sinkRow.attempt <= row.attempt
        else { return false }
        let source = try directory.site(move.home).siteTimeline()
        let target = try directory.site(move.target).siteTimeline()
        return sinkRow.source == source && sinkRow.timeline?.arrival == target
    }

    /// Takes the number at the target, too; if the copy begins anew, first deletes what the target
    /// has of the database.
    private func receive(
        _ move: Move, _ mine: HomeRow, over former: HomeRow?, goesOn: Bool
    ) throws(RecordError) -> HomeRow {
        var arriving = HomeRow(move.next, .arriving, other: move.home, attempt: mine.attempt)
        let source = try directory.site(move.home).siteTimeline()
        (arriving.copy, arriving.source) = (mine.copy, source)
        arriving.timeline = HomeRow.BroughtTimeline(
            mine.timeline(at: source), arrival: try directory.site(move.target).siteTimeline())
        var former = former
        if !goesOn {
            var clearing = arriving
            clearing.state = .clearing
            try probe(.clear)
            try replace(move.target, move, former, with: clearing)
            try clean(move.database, at: move.target, move.next)
            former = clearing
        }
        try probe(.receive)
        try replace(move.target, move, former, with: arriving)
        return arriving
    }

    /// Copies the database, and lets the source give it up.
    ///
    /// - Parameters:
    ///   - mine: the row of the source.
    ///   - arriving: the row of the target.
    /// - Returns: the row of the source once it has given the database up.
    private func copy(
        _ move: Move, _ mine: HomeRow, _ arriving: HomeRow
    ) throws(RecordError) -> HomeRow {
        var copy = try DatabaseCopy(self, move, mine, arriving)
        try copy.runWhileUsed()
        try probe(.fence)
        var leaving = mine
        leaving.state = .leaving
        // This also fails if index places have changed meanwhile, which makes the row stale: then
        // the copy begins anew.
        try replace(move.home, move, mine, with: leaving)
        do throws(RecordError) {
            try copy.finish(by: .now + patience)
            return try giveUp(move, leaving, arriving)
        } catch {
            // A mover that is told to stop leaves everything as it is.
            if error.code != .interrupted { try? unfence(move, leaving) }
            throw error
        }
    }

    /// Notes at the target that the copy is complete, and lets the source give the database up.
    private func giveUp(
        _ move: Move, _ leaving: HomeRow, _ arriving: HomeRow
    ) throws(RecordError) -> HomeRow {
        try probe(.complete)
        // This also makes durable whatever the target has received.
        var arrived = arriving
        arrived.state = .arrived
        try replace(move.target, move, arriving, with: arrived)
        try expectSameSites(move, arriving)
        try probe(.giveUp)
        var gone = HomeRow(leaving, generation: move.next)
        gone.state = .gone
        try replace(move.home, move, leaving, with: gone)
        return gone
    }

    /// Checks that no site was restored during the copy.
    ///
    /// If the target is restored after this check, to a time before its copy was complete, its row
    /// says that the copy is not complete.
    private func expectSameSites(_ move: Move, _ arriving: HomeRow) throws(RecordError) {
        let sites = [
            (move.home, arriving.source), (move.target, arriving.timeline?.arrival),
        ]
        for (name, timeline) in sites
        where try directory.site(name).siteTimeline() != timeline {
            throw .moved("move a database: \(name) was restored meanwhile")
        }
    }

    /// Lets the database be changed again at the source.
    func unfence(_ move: Move, _ leaving: HomeRow) throws(RecordError) {
        try probe(.unfence)
        var sending = leaving
        sending.state = .sending
        try replace(move.home, move, leaving, with: sending)
    }

    /// Replaces a row.
    ///
    /// - Throws: `unavailable`, with ``RecordError/hasMoved``, if the row is no longer `former`.
    private func replace(
        _ site: String, _ move: Move, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) {
        guard try directory.replaceHome(of: move.database, at: site, former, with: next) else {
            throw Self.overtaken
        }
    }
}
