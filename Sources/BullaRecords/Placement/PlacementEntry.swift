internal import BullaMemory

/// What the map says of a database: which site to ask.
package struct PlacementEntry: Hashable, Sendable {
    /// The site of the database; while the database moves, the site that it is leaving.
    package let home: String
    /// Counts the moves of the database; see ``HomeRow``.
    package let generation: UInt64
    package let state: State

    package enum State: Hashable, Sendable {
        case settled
        /// A mover brings it to another site.
        case moving(to: String)
        /// A move has ended, or was cancelled, and what it left at another site is being deleted.
        case clearing(former: String)
    }

    package init(_ home: String, _ generation: UInt64, _ state: State = .settled) {
        (self.home, self.generation, self.state) = (home, generation, state)
    }

    /// Whether calls under the two entries go to the same site with the same claim.
    func hasSameHome(as other: PlacementEntry) -> Bool {
        home == other.home && generation == other.generation
    }
}

extension PlacementEntry {
    /// The other end of a move.
    package var other: String? {
        switch state {
        case .settled: nil
        case .moving(let other), .clearing(let other): other
        }
    }

    /// Whether the row of another site says that the database has come from there to the home.
    func hasCome(from row: HomeRow?) -> Bool {
        guard let row, row.isGiven else { return false }
        return row.generation == generation && row.other == home
    }

    /// Whether the row of the home shows that this site was restored to a time just before it took
    /// the database over, so that everything is there.
    func hasArrived(_ row: HomeRow) -> Bool {
        row.state == .arrived && row.generation == generation
    }

    /// Whether the row of the home shows that this site was restored to a time before the database
    /// came to it.
    ///
    /// The row must be read after the entry. Unless a site was restored, the row then has the
    /// entry's generation and says that the database can be read, or it has a greater generation.
    func isContradicted(by row: HomeRow?) -> Bool {
        // The process that placed a new database may have died before it made the row.
        guard let row else { return generation > HomeRow.first.generation }
        return row.generation < generation || row.generation == generation && !row.isHome
    }
}

/// The entry as bytes: 1 byte of version, 8 of generation, 1 of state; then the home and the other
/// site, each after its byte count.
extension PlacementEntry {
    private static let version: UInt8 = 1

    var bytes: [UInt8] {
        var bytes = [Self.version]
        bytes.append(number: generation)
        let (number, other): (UInt8, String) =
            switch state {
            case .settled: (0, "")
            case .moving(let target): (1, target)
            case .clearing(let former): (2, former)
            }
        bytes.append(number)
        bytes.append(text: home)
        bytes.append(text: other)
        return bytes
    }

    init?(_ bytes: [UInt8]) {
        guard let entry = bytes.withView({ Self.entry($0) }) else { return nil }
        self = entry
    }

    private static func entry(_ view: ByteView) -> PlacementEntry? {
        var cursor = ByteCursor(view)
        guard cursor.next(UInt8.self) == version, let generation = cursor.next(UInt64.self),
            generation > 0, generation < .max,
            let number = cursor.next(UInt8.self), let home = cursor.nextText(),
            let other = cursor.nextText(), cursor.isAtEnd
        else { return nil }
        switch number {
        case 0: return PlacementEntry(home, generation)
        case 1: return PlacementEntry(home, generation, .moving(to: other))
        case 2: return PlacementEntry(home, generation, .clearing(former: other))
        default: return nil
        }
    }
}
