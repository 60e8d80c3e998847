internal import Bulla
internal import BullaMemory

extension EmbeddedBackend {
    package func claiming(_ claim: HomeClaim?) -> any SiteBackend { EmbeddedBackend(store, claim) }
    package func impatient() -> any SiteBackend { self }
    package var moves: any SiteMoves { EmbeddedMoves(backend: self) }
}

extension TreeReader where Self: ~Copyable {
    func home(of database: Database) throws -> HomeRow? {
        try value(EmbeddedKey.database(database), in: .homes).map { try HomeRow($0) }
    }

    /// The rows in `homes` of all databases of a place; `nil` for a row that is malformed.
    func homes(of place: Place) throws -> [Database: HomeRow?] {
        var homes: [Database: HomeRow?] = [:]
        try visit(.homes, .prefix(EmbeddedKey.place(place))) { key, bytes in
            let row: HomeRow? = try? HomeRow(bytes)
            homes.updateValue(row, forKey: try EmbeddedKey.zone(key, of: place).database)
            return .next
        }
        return homes
    }

    /// Checks a caller's claim; see ``HomeRow/check(_:_:isChange:)``.
    func checkHome(of database: Database, _ claim: HomeClaim?, isChange: Bool = false) throws {
        try HomeRow.check(try home(of: database), claim, isChange: isChange)
    }

    /// Checks the claim of a caller that uses an account's document; a document of a whole place
    /// needs no claim, because no move concerns it.
    func checkHome(
        of place: Place, _ account: AccountIdentifier?, _ claim: HomeClaim?,
        isChange: Bool = false
    ) throws {
        guard let account else { return }
        try checkHome(of: Database(place, owner: account), claim, isChange: isChange)
    }
}

extension WriteTransaction {
    mutating func put(_ row: HomeRow, _ database: Database) throws(BullaError) {
        try put(row.bytes, EmbeddedKey.database(database), in: .homes)
    }

    /// Tells a mover that index places have changed.
    mutating func noteReindexing(of database: Database) throws {
        guard var row = try home(of: database), row.state == .sending else { return }
        row.isStale = true
        try put(row, database)
    }
}
