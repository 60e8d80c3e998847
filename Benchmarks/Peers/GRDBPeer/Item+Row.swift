internal import BullaObjectPeer
internal import Foundation
internal import GRDB

/// An item as a row of SQLite.
extension Item {
    /// Reads columns by numeric indexes, in the order of ``ItemSQL/columns``: "for high
    /// performance", as GRDB's README says.
    init(row: Row) {
        self.init(
            number: row[0], name: row[1], team: row[2], city: row[3],
            joined: Date(timeIntervalSinceReferenceDate: row[4]), rank: row[5], balance: row[6],
            note: row[7])
    }

    /// The item's values in the order of the columns.
    var arguments: StatementArguments {
        [number, name, team, city, joined.timeIntervalSinceReferenceDate, rank, balance, note]
    }
}

enum ItemSQL {
    static let columns = "number, name, team, city, joined, rank, balance, note"

    static let schema = """
        CREATE TABLE IF NOT EXISTS item (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, team INTEGER NOT NULL,
            city TEXT NOT NULL, joined REAL NOT NULL, rank INTEGER NOT NULL,
            balance REAL NOT NULL, note TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS itemTeam ON item (team);
        CREATE INDEX IF NOT EXISTS itemCity ON item (city);
        CREATE INDEX IF NOT EXISTS itemJoined ON item (joined);
        """

    static let insert = "INSERT INTO item (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    static let update = "UPDATE item SET balance = ? WHERE number = ?"
    static let all = "SELECT \(columns) FROM item ORDER BY number"
    static let first = "SELECT \(columns) FROM item ORDER BY joined LIMIT ?"
    static let count = "SELECT COUNT(*) FROM item WHERE joined >= ? AND joined < ?"

    static func select(by column: String) -> String {
        "SELECT \(columns) FROM item WHERE \(column) = ?"
    }
}
