#if PostgreSQL
package import BullaRecords

extension PostgreSQLBackend {
    package func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome {
        try batch.checkNames()
        let attempt = "change zone \(batch.zone.name)"
        return try change(attempt, isRepeatable: true) { connection throws(StatementFailure) in
            let head = try lock(batch.zone, over: connection)
            guard let head else { return .noZone }
            let outcome = try BatchTransaction(batch: batch).run(head, over: connection)
            if case .committed = outcome { try announce(over: connection) }
            return outcome
        }
    }

    package func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64? {
        // The batch's commit may still be running, although its reply was lost. This takes the
        // zone's lock, and so waits for that commit.
        try change("look a batch of zone \(zone.name) up", isRepeatable: true) {
            connection throws(StatementFailure) in
            let head = try connection.lock(zone)
            try connection.checkHome(of: zone.database, claim)
            guard head != nil else { return nil }
            let rows = try connection.run(
                RecordStatements.batch, [.bytes(zone.incarnation.bytes), .bytes(batch.bytes)])
            return try rows.rowCount == 0 ? nil : rows.count(0, 0)
        }
    }

    package func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?] {
        try read("read records of zone \(zone.name)", of: zone.database) {
            connection throws(StatementFailure) in
            try connection.records(names, in: zone)
        }
    }

    package func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier> {
        try read("read the assets of a record of zone \(zone.name)", of: zone.database) {
            connection throws(StatementFailure) in
            let rows = try connection.run(
                AssetStatements.assetsOfRecord,
                [.bytes(zone.incarnation.bytes), .texts([record])])
            return rows.rowCount == 0 ? [] : try rows.assets(0, 0)
        }
    }

    package func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone? {
        try look("read zone \(zone.name)") { connection throws(StatementFailure) in
            let heads = try connection.run(ZoneStatements.zoneOfLife, zone.parameters)
            try connection.checkHome(of: zone.database, claim)
            guard heads.rowCount > 0 else { return nil }
            let life = Parameter.bytes(zone.incarnation.bytes)
            var last: [UInt8] = []
            while true {
                let rows = try connection.run(RecordStatements.contents, [life, .bytes(last)])
                for row in 0..<rows.rowCount {
                    let (name, record) = (try rows.text(row, 0), try rows.record(row, from: 1))
                    do throws(RecordError) { try body(name, record) } catch {
                        throw .stopped(error)
                    }
                }
                guard rows.rowCount == RecordStatements.contentsCount else { break }
                last = try rows.bytes(rows.rowCount - 1, 0)
            }
            return try heads.zone(0, of: zone.database.place)
        }
    }

    package func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage? {
        let count = min(max(limit, 1), Int(Int32.max))
        let parameters: [Parameter] =
            zone.parameters + [
                .integer(Int64(clamping: version)), .integer(Int64(count) + 1),
            ]
        return try read("read changes of zone \(zone.name)", of: zone.database) {
            connection throws(StatementFailure) in
            let rows = try connection.run(RecordStatements.changes, parameters)
            guard rows.rowCount > 0 else { return nil }
            var changes: [(name: String, record: StoredRecord)] = []
            for row in 0..<min(rows.rowCount, count) where !rows.isNull(row, 2) {
                changes.append((try rows.text(row, 2), try rows.record(row, from: 3)))
            }
            return ChangePage(
                changes, headVersion: try rows.count(0, 0), forgottenVersion: try rows.count(0, 1),
                hasMore: rows.rowCount > count)
        }
    }

    package func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage {
        let count = min(max(limit, 1), Int(Int32.max))
        var parameters: [Parameter] = [
            .bytes(zone.incarnation.bytes), .bytes(range.lower), .bytes(range.upper),
        ]
        // A scan skips the entry at its mark. If a descending scan gets no mark, it uses the upper
        // end of the range as one, because that end is outside the range. The lower end is inside,
        // so an ascending scan without a mark needs a statement of its own.
        let statement: Statement =
            if range.isDescending {
                RecordStatements.scanDownwards
            } else if mark == nil {
                RecordStatements.scanFirst
            } else {
                RecordStatements.scanUpwards
            }
        if range.isDescending { parameters.append(.bytes(mark ?? range.upper)) }
        if !range.isDescending, let mark { parameters.append(.bytes(mark)) }
        parameters.append(.integer(Int64(count) + 1))
        return try read("read an index of zone \(zone.name)", of: zone.database) {
            connection throws(StatementFailure) in
            let rows = try connection.run(statement, parameters)
            var names: [String] = []
            for row in 0..<min(rows.rowCount, count) { names.append(try rows.text(row, 1)) }
            return IndexPage(
                names, mark: try rows.rowCount > count ? rows.bytes(count - 1, 0) : nil)
        }
    }

    package func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String] {
        try read("read references of zone \(zone.name)", of: zone.database) {
            connection throws(StatementFailure) in
            let rows = try connection.run(
                RecordStatements.referrers,
                [
                    .bytes(zone.incarnation.bytes), .integer(Int64(action.rawValue)), .text(name),
                    .integer(Int64(max(limit, 1))),
                ])
            var names: [String] = []
            for row in 0..<rows.rowCount { names.append(try rows.text(row, 0)) }
            return names
        }
    }

    package func reindex(
        _ records: [ReindexedRecord], in zone: ZoneLife
    ) throws(RecordError) {
        try change("reindex zone \(zone.name)", isRepeatable: true) {
            connection throws(StatementFailure) in
            try connection.noteReindexing(of: zone.database)
            guard try lock(zone, over: connection) != nil else { return }
            let life = Parameter.bytes(zone.incarnation.bytes)
            let rows = try connection.run(
                RecordStatements.formerRecords, [life, .texts(records.map(\.name))])
            var tags: [String: ChangeTag] = [:]
            for row in 0..<rows.rowCount where !rows.isNull(row, 1) {
                tags[try rows.text(row, 0)] = ChangeTag(bytes: try rows.bytes(row, 1))
            }
            let present = records.filter { tags[$0.name] == $0.tag }
            let places = present.flatMap { record in
                record.indexes.map { (name: record.name, place: $0) }
            }
            try connection.exchange(places, of: .texts(present.map(\.name)), in: life)
        }
    }

    package func forgetDeletions(
        before time: Int64, in zone: ZoneLife
    ) throws(RecordError) {
        try change("forget deletions of zone \(zone.name)", isRepeatable: true) {
            connection throws(StatementFailure) in
            let head = try connection.lock(zone)
            guard try connection.mayForget(in: zone.database, claim), head != nil else { return }
            let parameters: [Parameter] = [.bytes(zone.incarnation.bytes), .integer(time)]
            let last = try connection.run(RecordStatements.lastDeletion, parameters).integer(0, 0)
            guard last > 0 else { return }
            _ = try connection.run(RecordStatements.forgetDeletions, parameters)
            _ = try connection.run(
                ZoneStatements.forgetInZone, [.bytes(zone.incarnation.bytes), .integer(last)])
        }
    }
}
#endif
