internal import Bulla
internal import BullaCipher
internal import BullaMemory
internal import BullaRecords
internal import BullaText

/// Which of the records' fields are encrypted.
enum RecordFieldForm: String, CaseIterable {
    case plain
    case encrypted = "5 of 10 encrypted"
}

enum RecordLayerWork: String, CaseIterable {
    /// Saves all records as new ones, in batches, each of which is durable.
    case save
    /// Reads records by their names, and opens every field.
    case fetch
    /// Finds all records by an index, without opening encrypted fields.
    case query
    /// Gets all changes, one answer after the other, without opening encrypted fields.
    case changes
}

/// Records in an encrypted store of their own.
struct RecordLayerSide {
    static let batchCount = 200

    private static let zone = "kept"
    private static let otherZone = "saved"
    private static let type = "Note"

    let fields: RecordFieldForm
    let view: DatabaseView
    let store: Store
    private let recordCount: Int

    init(_ fields: RecordFieldForm, recordCount: Int, in scratch: Scratch) throws {
        (self.fields, self.recordCount) = (fields, recordCount)
        store = try Store.open(at: scratch.file("\(fields).bulla"), key: .random())
        let place = Place("iCloud.org.example.notes", .development)
        let core = try RecordCore(
            EmbeddedBackend(store), ContainerKeys(place, SecretBytes.random(byteCount: 32)),
            clock: { 1_795_435_200_000 })
        let keys = try AccountKeys(
            AccountIdentifier(.new()), in: place, epoch: 1,
            serviceKey: SecretBytes.random(byteCount: AccountKeys.serviceKeyByteCount))
        view = try core.database(.private, .account(keys))
        try core.importSchema(Self.schema(fields))
        try view.createZone(Self.zone)
        try save(in: Self.zone)
    }

    /// The schema of a side: ten fields, of which one has an index.
    private static func schema(_ fields: RecordFieldForm) -> [UInt8] {
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

    private static func name(_ number: Int) -> String {
        "record-" + Format.padLeft("\(number)", 8, "0")
    }
}

extension RecordLayerSide {
    /// Nanoseconds of processor time per record.
    func time(_ work: RecordLayerWork, _ order: [Int]) throws -> Double {
        if work == .save { try view.createZone(Self.otherZone) }
        var found = 0
        let time = try SealingRun.processorTime(of: recordCount) {
            found =
                switch work {
                case .save: try save(in: Self.otherZone)
                case .fetch: try fetch(order)
                case .query: try query()
                case .changes: try follow()
                }
        }
        if work == .save { try view.deleteZone(Self.otherZone) }
        guard found == recordCount else {
            throw BenchError(.digest, "\(work), \(fields.rawValue): \(found) of \(recordCount)")
        }
        return time
    }

    /// Returns how many records were saved.
    @discardableResult
    private func save(in zone: String) throws -> Int {
        var count = 0
        for batch in batches(0..<recordCount) {
            let changes = batch.map { number in
                RecordChange(
                    Self.name(number),
                    .save(.init(Self.type, .isNew, fields: self.changes(number))))
            }
            for result in try view.modify(changes, in: zone, atomically: true) {
                if case .failed(let error, _) = result { throw error }
                count += 1
            }
        }
        return count
    }

    /// Returns how many records were found with all their fields.
    private func fetch(_ order: [Int]) throws -> Int {
        var count = 0
        for batch in batches(order) {
            for record in try view.records(batch.map(Self.name), in: Self.zone) {
                let record = try record.get()
                let opened = try record.fields.count { try record.value(of: $0.name) != nil }
                if opened == 10 { count += 1 }
            }
        }
        return count
    }

    private func query() throws -> Int {
        let query = RecordQuery(
            Self.type, filters: [.init("rank", .greaterThanOrEquals, [.int64(0)])])
        var (count, mark) = (0, [UInt8]?.none)
        repeat {
            let page = try view.query(query, in: Self.zone, after: mark)
            count += page.records.count
            mark = page.mark
        } while mark != nil
        return count
    }

    private func follow() throws -> Int {
        var (count, token, hasMore) = (0, [UInt8]?.none, true)
        while hasMore {
            let page = try view.changes(in: Self.zone, since: token)
            count += page.changed.count
            (token, hasMore) = (page.token, page.hasMore)
        }
        return count
    }
}
