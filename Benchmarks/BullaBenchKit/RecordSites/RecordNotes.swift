internal import BullaRecords
internal import BullaText

/// Records of ten fields in an account's database, and what a run does with them.
struct RecordNotes: Sendable {
    static let batchCount = 200

    private static let type = "Note"

    let fields: RecordFieldForm
    let view: DatabaseView
    let recordCount: Int

    /// The schema of the records: ten fields, of which one has an index.
    static func schema(_ fields: RecordFieldForm) -> [UInt8] {
        let mark = fields == .plain ? "" : "ENCRYPTED "
        return Array(
            """
            DEFINE SCHEMA RECORD TYPE \(type) (
            rank INT64 QUERYABLE SORTABLE, title STRING, place STRING, amount INT64, weight DOUBLE,
            name \(mark)STRING, street \(mark)STRING, remark \(mark)STRING, code \(mark)INT64,
            born \(mark)TIMESTAMP );
            """.utf8)
    }

    private func changes(_ number: Int) -> [String: RecordChange.FieldChange?] {
        let digits = Format.padLeft("\(number)", 8, "0")
        let plain: [String: RecordValue] = [
            "rank": .int64(Int64(number)), "title": .string("title number \(digits)"),
            "place": .string("place of it \(digits)"), "amount": .int64(1_000_000),
            "weight": .double(0.1),
        ]
        let sealed: [String: RecordValue] = [
            "name": .string("name of a \(digits)"), "street": .string("street no. \(digits)"),
            "remark": .string("a remark on \(digits)"), "code": .int64(Int64(number) << 20),
            "born": .timestamp(1_000_000_000_000 + Int64(number)),
        ]
        let isEncrypted = fields == .encrypted
        return plain.mapValues { .init($0) }.merging(
            sealed.mapValues { .init($0, isEncrypted: isEncrypted) }, uniquingKeysWith: { $1 })
    }

    private func batches(_ order: some Collection<Int>) -> [[Int]] {
        let order = Array(order)
        return stride(from: 0, to: order.count, by: Self.batchCount).map {
            Array(order[$0..<min($0 + Self.batchCount, order.count)])
        }
    }

    static func name(_ number: Int) -> String {
        "record-" + Format.padLeft("\(number)", 8, "0")
    }
}

extension RecordNotes {
    /// Saves all records as new ones; returns how many were saved.
    @discardableResult
    func save(in zone: String) throws -> Int {
        try batches(0..<recordCount).reduce(0) { try $0 + save($1, in: zone) }
    }

    /// Saves some records as new ones, in one batch; returns how many were saved.
    @discardableResult
    func save(_ numbers: [Int], in zone: String) throws -> Int {
        let changes = numbers.map { number in
            RecordChange(
                Self.name(number), .save(.init(Self.type, .isNew, fields: self.changes(number))))
        }
        let results = try view.modify(changes, in: zone, atomically: true)
        for case .failed(let error, _) in results { throw error }
        return results.count
    }

    /// Fetches records; returns how many were found with all their fields.
    func fetch(_ order: [Int], in zone: String) throws -> Int {
        var count = 0
        for batch in batches(order) {
            for record in try view.records(batch.map(Self.name), in: zone) {
                let record = try record.get()
                let opened = try record.fields.count { try record.value(of: $0.name) != nil }
                if opened == 10 { count += 1 }
            }
        }
        return count
    }

    func query(in zone: String) throws -> Int {
        let query = RecordQuery(
            Self.type, filters: [.init("rank", .greaterThanOrEquals, [.int64(0)])])
        var (count, mark) = (0, [UInt8]?.none)
        repeat {
            let page = try view.query(query, in: zone, after: mark)
            count += page.records.count
            mark = page.mark
        } while mark != nil
        return count
    }

    /// Reads all changes from the beginning; returns how many there are.
    func follow(in zone: String) throws -> Int {
        var (count, token, hasMore) = (0, [UInt8]?.none, true)
        while hasMore {
            let page = try view.changes(in: zone, since: token)
            count += page.changed.count
            (token, hasMore) = (page.token, page.hasMore)
        }
        return count
    }
}
