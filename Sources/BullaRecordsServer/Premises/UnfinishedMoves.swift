internal import BullaRecords
internal import Synchronization

/// Remembers the unfinished moves that this process has seen, to find those on which no mover is
/// working.
final class UnfinishedMoves: Sendable {
    /// A move, and how far it has come.
    struct Move: Sendable {
        let entry: PlacementEntry
        let row: HomeRow?
        /// `nil` if it could not be read.
        let progress: Progress?

        /// The unfinished move of a database; `nil` if there is none.
        init?(_ database: Database, _ placed: PlacedBackend) throws(RecordError) {
            guard let entry = try placed.entry(of: database), let other = entry.other else {
                return nil
            }
            self.entry = entry
            row = try placed.home(of: database, at: entry.home)
            progress = try? Progress(database, at: other, placed)
        }

        /// Whether nobody has worked on the move since an earlier look at it.
        ///
        /// While the other end of the move does not answer, no mover can work, so progress that
        /// could not be read counts as unchanged.
        func isUnchanged(since former: Move) -> Bool {
            guard entry == former.entry, row == former.row else { return false }
            return progress == nil || progress == former.progress
        }
    }

    /// What the other end of a move holds of the database.
    struct Progress: Hashable, Sendable {
        private let row: HomeRow?
        private let versions: [ZoneLife: UInt64]
        /// The assets that no record holds, with the times of their last chunks.
        private let uploads: [RandomIdentifier: Int64]

        init(
            _ database: Database, at name: String, _ placed: PlacedBackend
        ) throws(RecordError) {
            row = try placed.home(of: database, at: name)
            let claim = row?.moverClaim
            guard row == nil || claim != nil else {
                (versions, uploads) = ([:], [:])
                return
            }
            let site = try placed.site(name).claiming(claim)
            versions = Dictionary(
                try site.zones(in: database).map { (ZoneLife($0), $0.version) },
                uniquingKeysWith: { $1 })
            uploads = Dictionary(
                try site.moves.uploads(in: database).map { ($0.asset, $0.time) },
                uniquingKeysWith: { $1 })
        }
    }

    private let seen = Mutex<[Database: Move]>([:])

    /// Whether the move is unchanged since the last call for this database.
    func isOld(_ move: Move, of database: Database) -> Bool {
        seen.withLock { seen in
            defer { seen[database] = move }
            return seen[database].map { move.isUnchanged(since: $0) } ?? false
        }
    }

    func forget(_ database: Database) {
        seen.withLock { _ = $0.removeValue(forKey: database) }
    }
}

extension HomeRow {
    /// The claim of a mover that copies the database to the site, or deletes it there; `nil` if
    /// there is no such mover, in which case the row alone tells how far the move has come.
    fileprivate var moverClaim: HomeClaim? {
        switch state {
        case .arriving: HomeClaim(.receiver(attempt: attempt), generation)
        case .emptied, .clearing: HomeClaim(.remover, generation)
        case .here, .sending, .leaving, .gone, .arrived: nil
        }
    }
}
