#if PostgreSQL
internal import BullaRecords

/// The transaction of a batch of changes to a zone.
///
/// Each statement handles all changes at once.
struct BatchTransaction {
    let batch: BackendBatch

    private var life: Parameter { .bytes(batch.zone.incarnation.bytes) }
    private var names: Parameter { .texts(batch.changes.map(\.name)) }

    /// Makes the changes, unless the present state differs from what they require.
    ///
    /// - Parameter head: the zone's head, which the transaction has locked.
    func run(
        _ head: StoredZone, over connection: Connection
    ) throws(StatementFailure) -> BatchOutcome {
        let known = try connection.run(
            RecordStatements.batch, [life, .bytes(batch.identifier.bytes)])
        if known.rowCount > 0 { return .committed(first: try known.count(0, 0)) }
        if let refusal = try refusal(head, over: connection) { return refusal }
        let formers = try formers(over: connection)
        let conflicts = try conflicts(with: formers, over: connection)
        guard conflicts.isEmpty else { return .conflicts(conflicts) }
        let lost = try exchangeAssets(of: formers, over: connection)
        guard lost.isEmpty else { return .lostAssets(lost) }
        return .committed(first: try apply(over: formers, head, over: connection))
    }

    /// Why to refuse the batch, apart from the state of its records; `nil` if there is no reason.
    private func refusal(
        _ head: StoredZone, over connection: Connection
    ) throws(StatementFailure) -> BatchOutcome? {
        guard head.epoch == batch.epoch else { return .otherEpoch(head.epoch) }
        let place = batch.zone.database.place
        let schema = try connection.run(
            ZoneStatements.holdDocument, place.parameters + [.text(PlaceDocument.schema)])
        let version = try schema.rowCount == 0 ? 0 : schema.count(0, 0)
        guard version == batch.schemaVersion else { return .otherSchema(version) }
        guard let expected = batch.headVersion, expected != head.version else { return nil }
        return .otherHead(head.version)
    }

    /// The rows that the changes replace, in the order of the changes.
    private func formers(over connection: Connection) throws(StatementFailure) -> [FormerRow?] {
        let rows = try connection.run(RecordStatements.formerRecords, [life, names])
        var found: [String: FormerRow] = [:]
        for row in 0..<rows.rowCount {
            found[try rows.text(row, 0)] = try FormerRow(rows, row)
        }
        return batch.changes.map { found[$0.name] }
    }

    /// The changes whose records are not in the expected state, each with what is stored under its
    /// record's name.
    private func conflicts(
        with formers: [FormerRow?], over connection: Connection
    ) throws(StatementFailure) -> [Int: StoredRecord?] {
        let indexes = batch.changes.indices.filter { index in
            !batch.changes[index].expected.isMet(by: formers[index]?.record?.tag)
        }
        guard !indexes.isEmpty else { return [:] }
        let found = try connection.records(
            indexes.map { batch.changes[$0].name }, in: batch.zone)
        var conflicts: [Int: StoredRecord?] = [:]
        for (index, record) in zip(indexes, found) { conflicts[index] = .some(record) }
        return conflicts
    }

    /// Holds the assets of the new records, and lets go of the assets of the former records.
    ///
    /// - Returns: the changes that need assets which do not exist, or were uploaded for another
    ///   database.
    private func exchangeAssets(
        of formers: [FormerRow?], over connection: Connection
    ) throws(StatementFailure) -> Set<Int> {
        var holds = AssetHolds(for: batch.zone.database)
        for (change, former) in zip(batch.changes, formers) {
            let (old, new) = (former?.assets ?? [], change.entry?.assets ?? [])
            holds.hold(new.subtracting(old))
            holds.letGo(old.subtracting(new))
        }
        let lost = try holds.apply(over: connection)
        return Set(
            batch.changes.indices.filter { index in
                !lost.isDisjoint(with: batch.changes[index].entry?.assets ?? [])
            })
    }

    /// Makes the changes, and returns the number of the first one.
    private func apply(
        over formers: [FormerRow?], _ head: StoredZone, over connection: Connection
    ) throws(StatementFailure) -> UInt64 {
        let first = head.version + 1
        guard let last = Int64(exactly: head.version + UInt64(batch.changes.count)) else {
            throw .malformed("a zone's version is beyond counting")
        }
        try put(over: formers, from: first, over: connection)
        try exchangePlaces(over: connection)
        try exchangeEdges(over: connection)
        var next = head
        for (change, former) in zip(batch.changes, formers) {
            next.replace(byteCount: former?.byteCount ?? 0, by: change.entry?.byteCount ?? 0)
        }
        next.version = UInt64(last)
        next.seal = try sealed(from: head, to: next, formers)
        _ = try connection.run(
            ZoneStatements.advanceZone,
            [life, .integer(last), next.storedByteCount, .bytes(next.seal)])
        // A batch without changes need not be remembered, because running it twice does no harm;
        // besides, the next batch would have the same first number.
        if !batch.changes.isEmpty { try remember(first: Int64(first), over: connection) }
        return first
    }

    private func sealed(
        from head: StoredZone, to next: StoredZone, _ formers: [FormerRow?]
    ) throws(StatementFailure) -> [UInt8] {
        let records = formers.map { $0?.record }
        do throws(RecordError) { return try batch.sealing(head, next, records) } catch {
            throw .stopped(error)
        }
    }

    private func put(
        over formers: [FormerRow?], from first: UInt64, over connection: Connection
    ) throws(StatementFailure) {
        guard !batch.changes.isEmpty else { return }
        let entries = batch.changes.map(\.entry)
        let types = zip(entries, formers).map { Array(($0?.type ?? $1?.type ?? "").utf8) }
        let assets = entries.map { Array(($0?.assets ?? []).map(\.bytes).joined()) }
        _ = try connection.run(
            RecordStatements.putRecords,
            [
                life, names,
                .manyIntegers(batch.changes.indices.map { Int64(first) + Int64($0) }),
                .manyBytes(types), .manyBytes(entries.map { $0?.tag.bytes }),
                .manyIntegers(entries.map { $0 == nil ? batch.time : nil }),
                .manyBytes(entries.map { $0?.bytes }), .manyBytes(entries.map { $0?.digest }),
                .manyBytes(assets),
                .manyIntegers(entries.map { Int64(clamping: $0?.byteCount ?? 0) }),
            ])
    }

    private func exchangePlaces(over connection: Connection) throws(StatementFailure) {
        let places = batch.changes.flatMap { change in
            (change.entry?.indexes ?? []).map { (name: change.name, place: $0) }
        }
        try connection.exchange(places, of: names, in: life)
    }

    private func exchangeEdges(over connection: Connection) throws(StatementFailure) {
        let edges = batch.changes.flatMap { change in
            (change.entry?.references ?? []).map { (name: change.name, edge: $0) }
        }
        try connection.exchange(edges, of: names, in: life)
    }

    private func remember(first: Int64, over connection: Connection) throws(StatementFailure) {
        _ = try connection.run(
            RecordStatements.putBatch,
            [life, .bytes(batch.identifier.bytes), .integer(first), .integer(batch.time)])
        _ = try connection.run(
            RecordStatements.forgetBatches, [life, .integer(batch.forgetsBefore)])
    }
}

/// What a change must know about the row that it replaces.
struct FormerRow {
    /// `nil` if the record was deleted.
    let record: FormerRecord?
    let type: String
    let assets: Set<RandomIdentifier>
    let byteCount: UInt64

    init(_ rows: QueryResult, _ row: Int) throws(StatementFailure) {
        if rows.isNull(row, 1) {
            record = nil
        } else {
            guard let tag = ChangeTag(bytes: try rows.bytes(row, 1)) else {
                throw .malformed("a record's tag is cut")
            }
            record = FormerRecord(
                tag, version: try rows.count(row, 5), digest: try rows.bytes(row, 6))
        }
        type = try rows.text(row, 2)
        assets = try rows.assets(row, 3)
        byteCount = try rows.count(row, 4)
    }
}

extension Connection {
    /// Replaces some records' places in indexes.
    func exchange(
        _ places: [(name: String, place: [UInt8])], of names: Parameter, in life: Parameter
    ) throws(StatementFailure) {
        _ = try run(RecordStatements.takePlaces, [life, names])
        guard !places.isEmpty else { return }
        _ = try run(
            RecordStatements.putPlaces,
            [life, .manyBytes(places.map(\.place)), .texts(places.map(\.name))])
    }

    /// Replaces the references of some records.
    func exchange(
        _ edges: [(name: String, edge: ReferenceEdge)], of names: Parameter, in life: Parameter
    ) throws(StatementFailure) {
        _ = try run(RecordStatements.takeEdges, [life, names])
        guard !edges.isEmpty else { return }
        _ = try run(
            RecordStatements.putEdges,
            [
                life, .manyIntegers(edges.map { Int64($0.edge.action.rawValue) }),
                .texts(edges.map(\.edge.target)), .texts(edges.map(\.name)),
            ])
    }

    /// The records with these names, in this order.
    func records(
        _ names: [String], in zone: ZoneLife
    ) throws(StatementFailure) -> [StoredRecord?] {
        let rows = try run(
            RecordStatements.records, [.bytes(zone.incarnation.bytes), .texts(names)])
        var found: [String: StoredRecord] = [:]
        for row in 0..<rows.rowCount {
            found[try rows.text(row, 0)] = try rows.record(row, from: 1)
        }
        return names.map { found[$0] }
    }
}
#endif
