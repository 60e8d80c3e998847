/// Moves databases between sites while they are used.
///
/// One mover works on a database at a time: the one whose number is in the rows of both ends. A
/// mover that begins, or goes on with another one's move, takes the next number, and every step of
/// the former mover is refused from then on. Each step is one transaction at one site, and names
/// the row on which it relies, so a mover can stop at any moment. See the decision "What does each
/// step of a move rely on?".
package struct AccountMover: Sendable {
    let directory: SiteDirectory
    /// The time in milliseconds since 1970.
    let clock: @Sendable () -> Int64
    /// The maximum size of an asset in bytes; without a limit, a site could supply chunks without
    /// end.
    let assetByteLimit: UInt64
    /// How long a mover may keep clients from changing the database while it copies what its
    /// earlier passes have missed.
    let patience: Duration
    /// Called before each step; throws to stop the mover there.
    let probe: Probe

    package typealias Probe = @Sendable (Step) throws(RecordError) -> Void

    /// What a mover is about to do.
    package enum Step: String, CaseIterable, Sendable {
        case announce, take, clear, receive, copy, fence, copyRest, unfence, complete, giveUp
        case takeBack, takeOver, redirect, stay, clean, settle
    }

    /// The maximum number of rounds in a call: each advances the move, unless another mover has
    /// taken over, or the copy must begin anew.
    private static let roundCount = 16

    package init(
        _ placed: PlacedBackend, clock: @escaping @Sendable () -> Int64,
        patience: Duration = .seconds(10), assetByteLimit: UInt64 = 1 << 40,
        probe: @escaping Probe = { _ in }
    ) {
        (directory, self.clock) = (placed.directory, clock)
        (self.patience, self.probe) = (patience, probe)
        self.assetByteLimit = min(assetByteLimit, 1 << 40)
    }

    /// Moves a database to a site; does nothing if it is settled there already.
    ///
    /// - Throws: `invalidArguments` if the settings name no such site, if the database is already
    ///   moving to another site, or if somebody cancels the move; `unavailable` if a site cannot be
    ///   reached, or if other movers, or new indexes, keep making the move begin anew (it can then
    ///   be resumed); `limitExceeded` if an asset is too large; `damaged` if what a site has is
    ///   malformed, or contradicts the map.
    package func move(_ database: Database, to target: String) throws(RecordError) {
        guard directory.sites[target] != nil else {
            throw RecordError(
                .invalidArguments, "move a database: the settings have none named \(target)")
        }
        var hasBegun = false
        for _ in 0..<Self.roundCount {
            let known = try directory.placed(database)
            let entry = known.entry
            switch entry.state {
            case .moving(let other) where other != target:
                throw RecordError(
                    .invalidArguments,
                    "move a database: it moves to \(other); resume or cancel that first")
            case .moving:
                hasBegun = true
                try resume(database)
            case .clearing: try resume(database)
            case .settled where entry.home == target: return
            case .settled where hasBegun:
                throw RecordError(
                    .invalidArguments,
                    "move a database: the move was cancelled; it is in \(entry.home)")
            case .settled:
                try directory.admit(database.place, at: target)
                try probe(.announce)
                let next = PlacementEntry(entry.home, entry.generation, .moving(to: target))
                _ = try directory.map.replace(known, of: database, with: next)
            }
        }
        throw Self.endless
    }

    /// Finishes a move that was begun.
    ///
    /// - Throws: as ``move(_:to:)``.
    package func resume(_ database: Database) throws(RecordError) {
        var backoff = Backoff(.milliseconds(10), upTo: .milliseconds(500))
        for _ in 0..<Self.roundCount {
            let known = try directory.placed(database)
            do throws(RecordError) {
                switch known.entry.state {
                case .settled: return
                case .moving(let target): try run(Move(database, known, to: target))
                case .clearing(let former): try finish(database, known, former)
                }
            } catch {
                // Try again if another mover has taken the next number, or if the copy must begin
                // anew.
                guard error.hasMoved else { throw error }
                backoff.take()
            }
        }
        throw Self.endless
    }

    /// Cancels a move that was begun, so that the database stays where it is.
    ///
    /// - Throws: `invalidArguments` if the database is not moving, or has already left; otherwise
    ///   as ``move(_:to:)``.
    package func cancel(_ database: Database) throws(RecordError) {
        for _ in 0..<Self.roundCount {
            let known = try directory.placed(database)
            let home = known.entry.home
            guard case .moving(let target) = known.entry.state,
                try directory.home(of: database, at: home)?.isGiven != true
            else { throw Self.tooLate(known.entry) }
            guard try isLatest(known, of: database) else { continue }
            try probe(.stay)
            let next = PlacementEntry(home, known.entry.generation, .clearing(former: target))
            guard try directory.map.replace(known, of: database, with: next) else { continue }
            try resume(database)
            // The database may have left before its mover saw that the map had changed.
            let present = try directory.placed(database).entry
            guard present.hasSameHome(as: next) else { throw Self.tooLate(present) }
            return
        }
        throw Self.endless
    }

    private static func tooLate(_ entry: PlacementEntry) -> RecordError {
        let place =
            switch entry.state {
            case .moving(let target): "it has left \(entry.home) for \(target); resume the move"
            case .clearing(let former):
                "it is in \(entry.home); resume the move to delete what \(former) has of it"
            case .settled: "it is in \(entry.home), and does not move"
            }
        return RecordError(.invalidArguments, "keep a database where it is: \(place)")
    }

    private static var endless: RecordError {
        .moved("move a database: other movers, or new indexes, keep making it begin anew")
    }

    static var overtaken: RecordError {
        .moved("move a database: another mover has gone on with it")
    }

    /// Gives a database a home again after its former home has given it up.
    ///
    /// - Returns: whether the database had no home; the caller then has to look its home up again.
    func takeOver(_ database: Database) throws(RecordError) -> Bool {
        guard let known = try directory.map.read(database),
            let row = try directory.home(of: database, at: known.entry.home)
        else { return false }
        if known.entry.hasArrived(row) {
            try takeOver(database, at: known.entry.home, row)
            return true
        }
        guard case .moving(let target) = known.entry.state, row.state == .gone else { return false }
        let move = Move(database, known, to: target)
        guard row.generation == move.next, row.other == target else { return false }
        do throws(RecordError) { try arrive(move, row) } catch {
            guard error.hasMoved else { throw error }
        }
        return true
    }

    private func run(_ move: Move) throws(RecordError) {
        let (database, home) = (move.database, move.home)
        try directory.admit(database.place, at: home)
        guard let row = try directory.home(of: database, at: home) else {
            guard move.generation == HomeRow.first.generation else { return try expectNews(move) }
            _ = try directory.replaceHome(of: database, at: home, nil, with: .first)
            return
        }
        let sinkRow: HomeRow?
        do throws(RecordError) {
            try directory.admit(database.place, at: move.target)
            sinkRow = try directory.home(of: database, at: move.target)
        } catch {
            if row.state == .leaving, row.generation == move.generation { try? unfence(move, row) }
            throw error
        }
        let isFree = sinkRow.map { $0.precedes(move.next) } ?? true
        switch row.state {
        case .gone where row.generation == move.next && row.other == move.target:
            try arrive(move, row)
        case .arrived where move.known.entry.hasArrived(row) && isFree:
            try takeOver(database, at: home, row)
        case .here, .sending, .leaving:
            guard row.generation == move.generation, isFree else { return try expectNews(move) }
            try send(move, row, to: sinkRow)
        default: try expectNews(move)
        }
    }

    /// Whether the map's entry is still `known`, and no site that answers knows of a later home.
    func isLatest(
        _ known: PlacementMap.Known, of database: Database
    ) throws(RecordError) -> Bool {
        directory.memory.forget(database)
        return try directory.placed(database) == known
    }

    /// Looks at the map and at all sites again, because a site's row did not fit the map: another
    /// mover must have changed one or the other meanwhile.
    ///
    /// - Throws: `damaged` if nothing has changed.
    private func expectNews(_ move: Move) throws(RecordError) {
        guard try isLatest(move.known, of: move.database) else { return }
        throw RecordError(
            .damaged,
            "move a database: the rows at \(move.home) and \(move.target) contradict the map")
    }
}
