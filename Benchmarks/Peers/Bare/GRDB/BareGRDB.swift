internal import BullaObjectPeer
internal import Foundation
internal import GRDB

/// GRDB, bare: its own interface without the harness.
///
/// It works on stores that the adapter has loaded; the clock and the random numbers are those of
/// the harness.
final class BareGRDB {
    private static let columns = "number, name, team, city, joined, rank, balance, note"

    private let pool: DatabasePool
    private let source: ItemSource
    private var nextNumber: Int

    init(_ setup: StoreSetup) throws {
        (source, nextNumber) = (setup.source, setup.source.count)
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = -\(setup.cacheByteLimit >> 10)")
            try database.execute(sql: "PRAGMA mmap_size = \(4 << 30)")
        }
        pool = try DatabasePool(path: setup.folder + "/store.sqlite", configuration: configuration)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    }

    func close() throws { try pool.close() }

    func obey(_ order: ObjectOrder) throws -> ObjectLoop.Answer {
        if order.verb == "digest" { return try digest() }
        if order.verb == "warm" { return try warm() }
        guard let work = ObjectWork(rawValue: order.verb) else { return try drain() }
        let data = SliceData(work, order, source, &nextNumber)
        return try ObjectLoop.timed { glance in
            switch work {
            case .fetch: try fetch(data.numbers, &glance)
            case .fetchEach: for number in data.numbers { try fetch([number], &glance) }
            case .query10: try query("team = ?", data.teams, &glance)
            case .query1000: try query("city = ?", data.cities, &glance)
            case .filter: try query("rank = ?", data.ranks, &glance)
            case .sort:
                let limits = Array(repeating: ObjectWork.firstCount, count: data.operations)
                try query("TRUE ORDER BY joined LIMIT ?", limits, &glance)
            case .count: try count(data.joined, &glance)
            case .update: try update(data)
            case .insertOne, .insert1000, .insert10000: try insert(data.items, work.batchCount)
            }
        }
    }

    private static func item(_ row: Row) -> Item {
        Item(
            number: row[0], name: row[1], team: row[2], city: row[3],
            joined: Date(timeIntervalSinceReferenceDate: row[4]), rank: row[5], balance: row[6],
            note: row[7])
    }

    private func fetch(_ numbers: [Int], _ glance: inout Glance) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(Self.columns) FROM item WHERE number = ?")
            for number in numbers {
                let rows = try Row.fetchCursor(statement, arguments: [number])
                if let row = try rows.next() { glance.saw(Self.item(row)) }
            }
        }
    }

    private func query(
        _ condition: String, _ values: [some DatabaseValueConvertible], _ glance: inout Glance
    ) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(Self.columns) FROM item WHERE \(condition)")
            for value in values {
                var items: [Item] = []
                let rows = try Row.fetchCursor(statement, arguments: [value])
                while let row = try rows.next() { items.append(Self.item(row)) }
                glance.saw(items)
            }
        }
    }

    private func count(_ ranges: [Range<Date>], _ glance: inout Glance) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT COUNT(*) FROM item WHERE joined >= ? AND joined < ?")
            for range in ranges {
                let (lower, upper) = (range.lowerBound, range.upperBound)
                let rows = try Row.fetchCursor(
                    statement,
                    arguments: [
                        lower.timeIntervalSinceReferenceDate, upper.timeIntervalSinceReferenceDate,
                    ])
                if let row = try rows.next() { glance.saw(count: row[0]) }
            }
        }
    }

    private func update(_ data: SliceData) throws {
        let each = ObjectWork.update.batchCount
        for first in stride(from: 0, to: data.numbers.count, by: each) {
            try pool.write { database in
                let statement = try database.cachedStatement(
                    sql: "UPDATE item SET balance = ? WHERE number = ?")
                for number in data.numbers[first..<first + each] {
                    try statement.execute(arguments: [data.balance, number])
                }
            }
        }
    }

    private func insert(_ items: [Item], _ each: Int) throws {
        for first in stride(from: 0, to: items.count, by: each) {
            try pool.write { database in
                let statement = try database.cachedStatement(
                    sql: "INSERT INTO item (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                for item in items[first..<first + each] {
                    try statement.execute(arguments: [
                        item.number, item.name, item.team, item.city,
                        item.joined.timeIntervalSinceReferenceDate, item.rank, item.balance,
                        item.note,
                    ])
                }
            }
        }
    }

    private func drain() throws -> ObjectLoop.Answer {
        try ObjectLoop.timed { _ in
            _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
    }

    private func warm() throws -> ObjectLoop.Answer {
        let all = source.all
        return try ObjectLoop.timed { glance in
            try query("team = ?", all.teams, &glance)
            try query("city = ?", all.cities, &glance)
            try count([all.joined], &glance)
        }
    }

    private func digest() throws -> ObjectLoop.Answer {
        try pool.read { database in
            var digest = ItemDigest()
            let rows = try Row.fetchCursor(
                database, sql: "SELECT \(Self.columns) FROM item ORDER BY number")
            while let row = try rows.next() { digest.add(Self.item(row)) }
            return digest.answer
        }
    }
}
