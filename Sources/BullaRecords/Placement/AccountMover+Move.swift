extension AccountMover {
    /// A move in progress.
    struct Move {
        let database: Database
        let known: PlacementMap.Known
        let target: String

        init(_ database: Database, _ known: PlacementMap.Known, to target: String) {
            (self.database, self.known, self.target) = (database, known, target)
        }

        var home: String { known.entry.home }
        var generation: UInt64 { known.entry.generation }
        /// The generation at the target.
        var next: UInt64 { known.entry.generation + 1 }
    }
}
