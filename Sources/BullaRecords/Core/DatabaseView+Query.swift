/// A page of a query's result.
package struct QueryPage: Sendable {
    package var records: [Record] = []
    /// Records that were found but cannot be opened.
    package var failures: [(name: String, error: RecordError)] = []
    /// The position of the next page; `nil` at the end.
    ///
    /// A page may be short, or empty, before the end.
    package var mark: [UInt8]?

    package init() {}
}

extension DatabaseView {
    /// The records of a type in a zone that match all filters of a query.
    ///
    /// They come in the query's order; if it has none, in the order of an index that suits the
    /// filters. Texts and byte strings whose first 96 bytes are equal come in no particular order.
    /// A record that changes between two pages, or while it is sorted, may be missing, or come
    /// twice.
    ///
    /// - Parameters:
    ///   - mark: from the previous page; `nil` at the beginning.
    ///   - limit: the maximum number of records in a page.
    /// - Throws: `invalidArguments` for a query that the schema does not allow, and for a mark of
    ///   another query; `unknownItem` for a type that the schema does not have; `limitExceeded` if
    ///   the query would have to sort too many records by more than one field or by distance, or if
    ///   its searches for words have too many filters, words or bytes; `changeTokenExpired` if the
    ///   zone was created again since the mark; `zoneNotFound`.
    /// - Complexity: grows with the number of records in the part of one index to which the filters
    ///   limit the query. Words and distances have no index: a query with no other filter reads all
    ///   records of the type. A search for words also reads all bytes of the searched texts, once
    ///   for all filters.
    package func query(
        _ query: RecordQuery, in name: String, after mark: [UInt8]? = nil, limit: Int? = nil
    ) throws(RecordError) -> QueryPage {
        let zone = try self.zone(name)
        let schema = try core.schemas.current().schema
        let plan: QueryPlan
        do throws(RecordError) { plan = try QueryPlan(query, schema) } catch {
            // Another process may have added to the schema what the query needs.
            plan = try QueryPlan(query, try core.schemas.reload().schema)
        }
        let former = try mark.map { bytes throws(RecordError) in
            try QueryMark(bytes, query, database, core.container)
        }
        if let former, former.zone != zone.head.incarnation {
            throw RecordError(.changeTokenExpired, "continue a query: the zone was created again")
        }
        let limit = min(limit ?? core.limits.answerCount, core.limits.answerCount)
        var run = try QueryRun(self, zone, plan, schema, limit: max(limit, 1))
        return plan.isSorting ? try run.sorted(former) : try run.page(former)
    }
}

/// A query that is being answered.
private struct QueryRun {
    private let view: DatabaseView
    private let zone: ZoneState
    private let plan: QueryPlan
    private let access: PublicAccess
    private let schema: RecordSchema
    private let limit: Int
    /// How many more bytes of text may be searched for words.
    private var searchLeft: Int
    private var answer = QueryPage()

    init(
        _ view: DatabaseView, _ zone: ZoneState, _ plan: QueryPlan, _ schema: RecordSchema,
        limit: Int
    ) throws(RecordError) {
        (self.view, self.zone, self.plan, self.schema) = (view, zone, plan, schema)
        access = try PublicAccess(view, schema)
        self.limit = limit
        searchLeft = view.core.limits.searchByteCount
    }

    /// The maximum number of records to read at once.
    ///
    /// A search for words reads as many records as would fit in what is left of
    /// ``RecordLimits/searchByteCount`` if each had the greatest size, but at most 16, and at least
    /// one. So it exceeds that limit by at most one record.
    private var batchCount: Int {
        guard plan.isSearching else { return view.core.limits.answerCount }
        return max(min(searchLeft / max(view.core.limits.recordByteCount, 1), 16), 1)
    }

    /// The next records in the order of the index.
    mutating func page(_ mark: QueryMark?) throws(RecordError) -> QueryPage {
        var (range, place) = (Int(mark?.range ?? 0), mark?.place)
        var scanLeft = view.core.limits.scanCount
        while range < plan.ranges.count {
            let wanted = min(limit - answer.records.count, scanLeft, batchCount)
            guard wanted > 0, searchLeft > 0 else {
                answer.mark = try sealedMark(UInt8(range), place ?? [])
                return answer
            }
            let found = try view.core.backend.scan(
                plan.ranges[range], in: zone.life, after: place, limit: wanted)
            try Self.check(found)
            scanLeft -= found.names.count
            try take(found.names, range) { $0.answer.records.append($1) }
            place = found.mark
            if place == nil { range += 1 }
        }
        return answer
    }

    /// The next matching records, sorted: those after the last record of the previous page.
    mutating func sorted(_ mark: QueryMark?) throws(RecordError) -> QueryPage {
        var place: [UInt8]?
        var (ranked, byteCount): ([RankedRecord], Int) = ([], 0)
        var scanLeft = view.core.limits.sortScanCount
        repeat {
            let found = try view.core.backend.scan(
                plan.ranges[0], in: zone.life, after: place, limit: batchCount)
            try Self.check(found)
            scanLeft -= found.names.count
            guard scanLeft >= 0 else {
                throw RecordError(
                    .limitExceeded,
                    "sort records of type \(plan.query.type): more than "
                        + "\(view.core.limits.sortScanCount) have to be read")
            }
            try take(found.names, 0) { run, record in
                let one = RankedRecord(record, run.plan.query.sorts)
                byteCount += one.byteCount
                ranked.append(one)
            }
            try check(ranked.count, byteCount)
            place = found.mark
        } while place != nil
        plan.sort(&ranked)
        var start = 0
        if let mark {
            start = try SortedPlace(mark).next(in: ranked)
            answer.failures = []
        }
        let page = Array(ranked[start...].prefix(limit))
        if let last = page.last, start + page.count < ranked.count {
            let place = SortedPlace(count: start + page.count, last: last.name)
            answer.mark = try sealedMark(0, place.bytes)
        }
        try readAgain(page)
        return answer
    }

    /// Refuses to sort more than the limits allow.
    private func check(_ count: Int, _ byteCount: Int) throws(RecordError) {
        let limits = view.core.limits
        let excess: String? =
            if searchLeft < 0 {
                "\(limits.searchByteCount) bytes of text are searched"
            } else if count > limits.sortCount {
                "\(limits.sortCount) match"
            } else if byteCount > limits.sortByteCount {
                "\(limits.sortByteCount) bytes are compared"
            } else { nil }
        guard let excess else { return }
        throw RecordError(
            .limitExceeded, "sort records of type \(plan.query.type): more than \(excess)")
    }

    /// Adds the records of a sorted page, if they still belong to the result.
    private mutating func readAgain(_ page: [RankedRecord]) throws(RecordError) {
        try open(page.map(\.name)) { run, index, record in
            guard
                record.tag == page[index].tag
                    || run.plan.matches(record, inRange: 0, &run.searchLeft)
            else { return }
            run.answer.records.append(record)
        }
    }

    /// Refuses an empty page that has a successor, since reading such pages might never end.
    private static func check(_ page: IndexPage) throws(RecordError) {
        guard page.mark == nil || !page.names.isEmpty else {
            throw RecordError(.damaged, "look records up: a page of the index is empty")
        }
    }

    private func sealedMark(_ range: UInt8, _ place: [UInt8]) throws(RecordError) -> [UInt8] {
        let mark = QueryMark(zone: zone.head.incarnation, range: range, place: place)
        return try mark.sealed(plan.asked, view.database, view.core.container)
    }

    /// Passes to `body` those of the named records that belong to the result.
    private mutating func take(
        _ names: [String], _ range: Int, _ body: (inout QueryRun, Record) -> Void
    ) throws(RecordError) {
        try open(names) { run, _, record in
            guard run.plan.matches(record, inRange: range, &run.searchLeft) else { return }
            body(&run, record)
        }
    }

    /// Passes to `body` those of the named records that have the query's type and that the caller
    /// may read, with their places in `names`.
    private mutating func open(
        _ names: [String], _ body: (inout QueryRun, Int, Record) -> Void
    ) throws(RecordError) {
        let stored = try view.core.backend.records(names, in: zone.life)
        for (index, (name, stored)) in zip(names, stored).enumerated() {
            // The record may have been deleted since the index was read.
            guard let bytes = stored?.bytes else { continue }
            do throws(RecordError) {
                let record = try zone.record(bytes, name)
                guard record.type == plan.query.type, access.mayRead(record, schema) else {
                    continue
                }
                body(&self, index, record)
            } catch {
                // The record is not shared with the caller.
                if error.code == .unknownItem { continue }
                guard error.code == .damaged else { throw error }
                answer.failures.append((name, error))
            }
        }
    }
}
