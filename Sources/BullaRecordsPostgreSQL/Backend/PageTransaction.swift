#if PostgreSQL
internal import BullaRecords

/// The transaction that stores a page of a zone from another site.
struct PageTransaction {
    let page: ZonePage

    private var life: Parameter { .bytes(page.head.incarnation.bytes) }
    private var names: Parameter { .texts(page.records.map(\.name)) }

    /// Stores the page; returns `false` if the zone's version is not the one at which the page
    /// starts.
    func run(over connection: Connection) throws(StatementFailure) -> Bool {
        guard try isAtStart(over: connection) else { return false }
        if !page.records.isEmpty {
            try exchangeAssets(over: connection)
            try put(over: connection)
            let places = page.records.flatMap { row in
                (row.entry?.indexes ?? []).map { (name: row.name, place: $0) }
            }
            try connection.exchange(places, of: names, in: life)
            let edges = page.records.flatMap { row in
                (row.entry?.references ?? []).map { (name: row.name, edge: $0) }
            }
            try connection.exchange(edges, of: names, in: life)
        }
        try putBatches(over: connection)
        try putHead(over: connection)
        return true
    }

    /// Whether the zone is at the start of the page; locks the zone's head, and creates the zone
    /// for the first page.
    private func isAtStart(over connection: Connection) throws(StatementFailure) -> Bool {
        if let head = try connection.lock(ZoneLife(page.head)) {
            return head.version == page.start
        }
        guard page.start == 0 else { return false }
        return try connection.create(page.head, version: 0)
    }

    private func exchangeAssets(over connection: Connection) throws(StatementFailure) {
        let rows = try connection.run(RecordStatements.formerRecords, [life, names])
        var formers: [String: Set<RandomIdentifier>] = [:]
        for row in 0..<rows.rowCount {
            formers[try rows.text(row, 0)] = try FormerRow(rows, row).assets
        }
        var holds = AssetHolds(for: page.head.database)
        for row in page.records {
            let (old, new) = (formers[row.name] ?? [], row.entry?.assets ?? [])
            holds.hold(new.subtracting(old))
            holds.letGo(old.subtracting(new))
        }
        guard try holds.apply(over: connection).isEmpty else {
            throw .stopped(
                RecordError(
                    .unavailable, "receive zone \(page.head.name): an asset is missing",
                    retryAfter: 1))
        }
    }

    private func put(over connection: Connection) throws(StatementFailure) {
        let entries = page.records.map(\.entry)
        var versions: [Int64?] = []
        for row in page.records { versions.append(try stored(row.version)) }
        let assets = entries.map { Array(($0?.assets ?? []).map(\.bytes).joined()) }
        _ = try connection.run(
            RecordStatements.putRecords,
            [
                life, names, .manyIntegers(versions),
                .manyBytes(page.records.map { Array($0.type.utf8) }),
                .manyBytes(entries.map { $0?.tag.bytes }),
                .manyIntegers(page.records.map(\.deletionTime)),
                .manyBytes(entries.map { $0?.bytes }), .manyBytes(entries.map { $0?.digest }),
                .manyBytes(assets),
                .manyIntegers(entries.map { Int64(clamping: $0?.byteCount ?? 0) }),
            ])
    }

    private func putBatches(over connection: Connection) throws(StatementFailure) {
        guard !page.batches.isEmpty else { return }
        var firsts: [Int64?] = []
        for batch in page.batches { firsts.append(try stored(batch.first)) }
        _ = try connection.run(
            RecordStatements.takeBatches,
            [
                life, .manyBytes(page.batches.map(\.identifier.bytes)), .manyIntegers(firsts),
                .manyIntegers(page.batches.map(\.time)),
            ])
    }

    private func putHead(over connection: Connection) throws(StatementFailure) {
        let head = page.head
        _ = try connection.run(
            ZoneStatements.takeHead,
            [
                life, .integer(try stored(page.end)), .integer(Int64(head.epoch)),
                .bytes(head.keys), .bytes(head.seal), head.storedByteCount,
                .integer(try stored(page.forgottenVersion)),
            ])
    }

    private func stored(_ number: UInt64) throws(StatementFailure) -> Int64 {
        guard let number = Int64(exactly: number) else {
            throw .malformed("a zone's version is beyond counting")
        }
        return number
    }
}

extension ZonePage.Row {
    fileprivate var type: String {
        switch content {
        case .entry(let entry): entry.type
        case .deleted(let type, _): type
        }
    }

    fileprivate var deletionTime: Int64? {
        if case .deleted(_, let time) = content { time } else { nil }
    }
}
#endif
