internal import BullaObjectPeer
internal import Foundation
internal import GRDB

/// Items in GRDB over SQLite, which does not encrypt.
///
/// Statements are cached, and get their arguments when they are executed, as the documentation of
/// `Statement` advises for values that vary. Rows come from cursors, which GRDB's README offers for
/// "extra performance": `fetchAll` took some 5 % longer for ten records.
final class GRDBSide: ObjectSide {
    /// How many bytes to map at most; SQLite lowers this to the limit with which it was built.
    private static let mapByteLimit = 4 << 30

    private let pool: DatabasePool

    init(_ setup: StoreSetup) throws {
        guard setup.key == nil else { throw DatabaseError(message: "GRDB does not encrypt") }
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA cache_size = -\(setup.cacheByteLimit >> 10);
                    PRAGMA mmap_size = \(Self.mapByteLimit);
                    """)
        }
        pool = try DatabasePool(path: setup.folder + "/store.sqlite", configuration: configuration)
        try pool.writeWithoutTransaction { database in
            // A pool sets NORMAL, with which a commit becomes durable only at the next checkpoint.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: ItemSQL.schema)
        }
    }

    func insert(_ items: ArraySlice<Item>) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: ItemSQL.insert)
            for item in items { try statement.execute(arguments: item.arguments) }
        }
    }

    func update(_ numbers: ArraySlice<Int>, balance: Double) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: ItemSQL.update)
            for number in numbers { try statement.execute(arguments: [balance, number]) }
        }
    }

    func fetch(_ numbers: [Int], isReadEach: Bool, _ glance: inout Glance) throws {
        if isReadEach {
            for number in numbers {
                try pool.read { try fetch(number, &glance, Self.statement(by: "number", in: $0)) }
            }
        } else {
            try pool.read { database in
                let statement = try Self.statement(by: "number", in: database)
                for number in numbers { try fetch(number, &glance, statement) }
            }
        }
    }

    private func fetch(_ number: Int, _ glance: inout Glance, _ statement: Statement) throws {
        let rows = try Row.fetchCursor(statement, arguments: [number])
        if let row = try rows.next() { glance.saw(Item(row: row)) }
    }

    private static func statement(by column: String, in database: Database) throws -> Statement {
        try database.cachedStatement(sql: ItemSQL.select(by: column))
    }

    func query(teams: [Int], _ glance: inout Glance) throws { try query("team", teams, &glance) }

    func query(cities: [String], _ glance: inout Glance) throws {
        try query("city", cities, &glance)
    }

    func filter(ranks: [Int], _ glance: inout Glance) throws { try query("rank", ranks, &glance) }

    private func query(
        _ column: String, _ values: [some DatabaseValueConvertible], _ glance: inout Glance
    ) throws {
        try pool.read { database in
            let statement = try Self.statement(by: column, in: database)
            for value in values { glance.saw(try Self.items(statement, value)) }
        }
    }

    private static func items(
        _ statement: Statement, _ value: some DatabaseValueConvertible
    ) throws -> [Item] {
        var items: [Item] = []
        let rows = try Row.fetchCursor(statement, arguments: [value])
        while let row = try rows.next() { items.append(Item(row: row)) }
        return items
    }

    func fetchFirst(_ limit: Int, times: Int, _ glance: inout Glance) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: ItemSQL.first)
            for _ in 0..<times { glance.saw(try Self.items(statement, limit)) }
        }
    }

    func count(joined: [Range<Date>], _ glance: inout Glance) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: ItemSQL.count)
            for range in joined {
                let (lower, upper) = (range.lowerBound, range.upperBound)
                let count = try Int.fetchOne(
                    statement,
                    arguments: [
                        lower.timeIntervalSinceReferenceDate, upper.timeIntervalSinceReferenceDate,
                    ])
                glance.saw(count: count ?? 0)
            }
        }
    }

    func visitAll(_ body: (Item) -> Void) throws {
        try pool.read { database in
            let rows = try Row.fetchCursor(database, sql: ItemSQL.all)
            while let row = try rows.next() { body(Item(row: row)) }
        }
    }

    /// Moves the log into the file.
    func drain() throws {
        _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }

    func close() throws { try pool.close() }
}
