/// What has become of a database whose site was restored.
package enum RestoredDatabase: Hashable, Sendable {
    /// The site has it, as if nothing had happened.
    case present
    /// The site has it as it was during an earlier stay, or when it arrived, and it goes on from
    /// there.
    case adopted
    /// The site has no trace of it, so it begins anew: it was made after the backup, or never used.
    case emptied
    /// The site does not have it, or has it only as it was during an earlier stay; another site has
    /// it as it was later, and ``HomeRepair`` can let it go on there.
    case left(at: String)
    /// The site does not have it: the backup is from before the database came.
    case lost

    /// Whether the database cannot be used until somebody gives up what is lost.
    package var isLoss: Bool {
        switch self {
        case .present, .adopted, .emptied: false
        case .left, .lost: true
        }
    }
}

extension PlacedBackend {
    /// The maximum number of attempts to replace a row: others may change it meanwhile, or the site
    /// may not answer.
    private static let adoptionCount = 9

    /// Lets a database go on with what its restored site has of it.
    package func adopt(_ database: Database) throws(RecordError) -> RestoredDatabase {
        var backoff = Backoff(.milliseconds(10), upTo: .seconds(1))
        // The row that the last attempt sent, and the result to return if the site has taken that
        // row and only the reply was lost.
        var last: (row: HomeRow, result: RestoredDatabase)?
        // The map may be older than a move: ask all sites once more.
        directory.memory.forget(database)
        for _ in 0..<Self.adoptionCount {
            let entry = try directory.placed(database).entry
            let row = try home(of: database, at: entry.home)
            if let last, last.row == row { return last.result }
            guard row == nil || entry.isContradicted(by: row) else { return .present }
            if let former = try HomeRepair(self, database).former() { return .left(at: former) }
            let next: HomeRow
            if let row {
                guard row.isHome || entry.hasArrived(row) else { return .lost }
                next = HomeRow(homeAfter: row, generation: entry.generation)
                last = (next, .adopted)
            } else {
                guard entry.generation == HomeRow.first.generation else { return .lost }
                next = .first
                let isThere = try directory.holdsAnything(of: database, at: entry.home)
                last = (next, isThere ? .present : .emptied)
            }
            do throws(RecordError) {
                if try replaceHome(of: database, at: entry.home, row, with: next), let last {
                    return last.result
                }
            } catch { guard error.code == .unavailable else { throw error } }
            backoff.take()
        }
        throw AccountMover.overtaken
    }
}
