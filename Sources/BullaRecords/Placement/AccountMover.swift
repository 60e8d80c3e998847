/// Moves databases between sites while they are used.
///
/// Each step is one transaction, and names the row that it changes; any mover goes on from what the
/// rows say, so a mover can end at any moment, and several can work on one database. See the
/// decision "Who may write where, at each step of a move?".
package struct AccountMover: Sendable {
    let placed: PlacedBackend
    /// The time in milliseconds since 1970.
    let clock: @Sendable () -> Int64
    /// Called before each step, and after the last one; throws to stop the mover there.
    let probe: Probe

    package typealias Probe = @Sendable (Step) throws(RecordError) -> Void

    /// What a mover is about to do.
    package enum Step: String, CaseIterable, Sendable {
        case announce, clear, receive, send, copy, restart, fence, copyRest, giveUp, takeOver
        case redirect, clean, settle
    }

    package init(
        _ placed: PlacedBackend, clock: @escaping @Sendable () -> Int64,
        probe: @escaping Probe = { _ in }
    ) {
        (self.placed, self.clock, self.probe) = (placed, clock, probe)
    }

    /// Moves a database to a site; if it is there, nothing happens.
    ///
    /// - Throws: `invalidArguments` if there is no such site, or the database moves to another one;
    ///   `unavailable` if a site cannot be reached: the move can be resumed then; `damaged`.
    package func move(_ database: Database, to target: String) throws(RecordError) {
        guard placed.sites[target] != nil else {
            throw RecordError(
                .invalidArguments, "move a database: the settings have none named \(target)")
        }
        while true {
            guard let known = try placed.map.read(database) else {
                try placed.settle(database)
                continue
            }
            let entry = known.entry
            switch entry.state {
            case .moving(let other) where other != target:
                throw RecordError(
                    .invalidArguments, "move a database: it moves to \(other); resume that first")
            case .moving, .clearing: try resume(database)
            case .settled where entry.home == target: return
            case .settled:
                try probe(.announce)
                let next = PlacementEntry(
                    entry.home, entry.generation, .moving(to: target))
                _ = try placed.map.replace(known, of: database, with: next)
            }
        }
    }

    /// Finishes a move that was begun.
    ///
    /// - Throws: as ``move(_:to:)``.
    package func resume(_ database: Database) throws(RecordError) {
        while let known = try placed.map.read(database) {
            switch known.entry.state {
            case .settled: return
            case .moving(let target): try advance(database, known, to: target)
            case .clearing(let former):
                try probe(.clean)
                try clean(database, at: former, known.entry.generation)
                try probe(.settle)
                let settled = PlacementEntry(known.entry.home, known.entry.generation)
                _ = try placed.map.replace(known, of: database, with: settled)
            }
        }
    }

    /// Lets a database arrive whose former home has given it up.
    ///
    /// - Returns: whether the database has a home again, and the map says so.
    func takeOver(_ database: Database) throws(RecordError) -> Bool {
        guard let known = try placed.map.read(database),
            case .moving(let target) = known.entry.state
        else { return false }
        let source = try placed.site(known.entry.home)
        let move = Move(database, known, target, source, try placed.site(target))
        guard let row = try source.moves.home(of: database), row.state == .gone,
            row.generation == move.next
        else { return false }
        try arrive(move, row)
        return true
    }

    /// A move in progress.
    struct Move {
        let database: Database
        let known: PlacementMap.Known
        let target: String
        let source: any SiteBackend
        let sink: any SiteBackend

        init(
            _ database: Database, _ known: PlacementMap.Known, _ target: String,
            _ source: any SiteBackend, _ sink: any SiteBackend
        ) {
            (self.database, self.known, self.target) = (database, known, target)
            (self.source, self.sink) = (source, sink)
        }

        var home: String { known.entry.home }
        var generation: UInt64 { known.entry.generation }
        /// The generation at the target.
        var next: UInt64 { known.entry.generation + 1 }
    }

    /// Takes one step of a move.
    private func advance(
        _ database: Database, _ known: PlacementMap.Known, to target: String
    ) throws(RecordError) {
        let (source, sink) = (try placed.site(known.entry.home), try placed.site(target))
        let move = Move(database, known, target, source, sink)
        // Read the target's row before the source's: while it is unchanged, no other mover has
        // restarted the copy since this read.
        let sinkRow = try sink.moves.home(of: database)
        guard let row = try source.moves.home(of: database) else {
            _ = try source.moves.replaceHome(of: database, nil, with: .first)
            return
        }
        switch row.state {
        case .gone where row.generation == move.next: try arrive(move, row)
        case .here, .sending, .leaving:
            guard row.generation == move.generation else { return try expectNews(move) }
            guard let sinkRow, sinkRow.state == .arriving, sinkRow.generation == move.next else {
                return try receive(move, over: sinkRow)
            }
            try send(move, row, to: sinkRow)
        default: try expectNews(move)
        }
    }

    /// Looks at the map after a site was not as the map had said: another mover must have gone on.
    ///
    /// - Throws: `damaged` if nothing has changed.
    private func expectNews(_ move: Move) throws(RecordError) {
        guard try placed.map.read(move.database) != move.known else {
            throw RecordError(
                .damaged, "move a database: the map and the sites contradict each other")
        }
    }

    /// Makes room at the target, where an earlier stay may have left something.
    private func receive(_ move: Move, over former: HomeRow?) throws(RecordError) {
        var clearing = HomeRow(move.next, .clearing, other: move.home)
        if let former, former.generation == move.next, former.state == .clearing {
            clearing = former
        } else {
            // If the target is the home, or its row has this move's generation or a later one,
            // another mover has done that.
            guard former.map({ !$0.isHome && $0.generation < move.next }) ?? true else {
                return try expectNews(move)
            }
            try probe(.clear)
            guard try move.sink.moves.replaceHome(of: move.database, former, with: clearing) else {
                return
            }
        }
        try clean(move.database, at: move.target, move.next)
        try probe(.receive)
        let arriving = HomeRow(
            move.next, .arriving, other: move.home, attempt: clearing.attempt)
        _ = try move.sink.moves.replaceHome(of: move.database, clearing, with: arriving)
    }

    /// Deletes what a site has of a database whose home is elsewhere.
    private func clean(
        _ database: Database, at name: String, _ generation: UInt64
    ) throws(RecordError) {
        let site = try placed.site(name).claiming(HomeClaim(.remover, generation))
        do throws(RecordError) {
            for zone in try site.zones(in: database) { _ = try site.delete(ZoneLife(zone)) }
            try site.moves.clear(PlaceDocument.all(of: database.owner), of: database)
        } catch {
            // The row has changed: another mover has done this already.
            guard error.hasMoved else { throw error }
        }
    }

    /// Takes the next step at the site that the database leaves.
    private func send(
        _ move: Move, _ row: HomeRow, to arriving: HomeRow
    ) throws(RecordError) {
        var sending = HomeRow(move.generation, .sending, other: move.target)
        sending.timeline = row.timeline
        switch row.state {
        case .here:
            try probe(.send)
            _ = try move.source.moves.replaceHome(of: move.database, row, with: sending)
        case .sending where row.isStale:
            // Index places of records that were copied have changed: copy everything again.
            try probe(.restart)
            let clearing = HomeRow(
                move.next, .clearing, other: move.home, attempt: arriving.attempt &+ 1)
            guard try move.sink.moves.replaceHome(of: move.database, arriving, with: clearing)
            else {
                return
            }
            _ = try move.source.moves.replaceHome(of: move.database, row, with: sending)
        case .sending:
            let isCopied = try attempt { () throws(RecordError) in
                try copyWhileUsed(Road(move, arriving, clock()))
            }
            guard isCopied else { return }
            try probe(.fence)
            var leaving = HomeRow(move.generation, .leaving, other: move.target)
            leaving.timeline = row.timeline
            _ = try move.source.moves.replaceHome(of: move.database, row, with: leaving)
        default:
            let isCopied = try attempt { () throws(RecordError) in
                try copyRest(Road(move, arriving, clock()))
            }
            guard isCopied else { return }
            try probe(.giveUp)
            var gone = HomeRow(move.next, .gone, other: move.target)
            gone.timeline = row.timeline
            _ = try move.source.moves.replaceHome(of: move.database, row, with: gone)
        }
    }

    /// Copies, unless another mover has changed a row meanwhile.
    ///
    /// - Returns: whether everything was copied.
    private func attempt(_ body: () throws(RecordError) -> Void) throws(RecordError) -> Bool {
        do throws(RecordError) { try body() } catch {
            guard error.hasMoved else { throw error }
            return false
        }
        return true
    }

    /// Makes the target the home of the database, first in the target's row, and then in the map.
    ///
    /// - Parameter row: the row of the former home, which has given the database up.
    private func arrive(_ move: Move, _ row: HomeRow) throws(RecordError) {
        let arriving = try move.sink.moves.home(of: move.database)
        if let arriving, arriving.state == .arriving, arriving.generation == move.next {
            try probe(.takeOver)
            var here = HomeRow(move.next, .here)
            here.timeline = HomeRow.BroughtTimeline(
                row.timeline(at: try move.source.siteTimeline()),
                arrival: try move.sink.siteTimeline())
            _ = try move.sink.moves.replaceHome(of: move.database, arriving, with: here)
        }
        let arrived = try move.sink.moves.home(of: move.database)
        guard let arrived, arrived.isHome, arrived.generation == move.next else {
            return try expectNews(move)
        }
        try probe(.redirect)
        let entry = PlacementEntry(move.target, move.next, .clearing(former: move.home))
        _ = try placed.map.replace(move.known, of: move.database, with: entry)
    }
}
