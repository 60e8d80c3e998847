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
    /// filters. Texts and bytes with the same first 96 bytes have no particular order. A record
    /// that changes between two pages may be missing, or come twice.
    ///
    /// - Parameters:
    ///   - mark: from the previous page; `nil` at the beginning.
    ///   - limit: the most records in a page.
    /// - Throws: `invalidArguments` for a query that the schema does not allow, and for a mark of
    ///   another query; `unknownItem` for a type that the schema does not have; `limitExceeded` if
    ///   too many records would have to be sorted by more than one field or by distance, and for a
    ///   search for too many words; `changeTokenExpired` if the zone was created again since the
    ///   mark; `zoneNotFound`.
    /// - Complexity: grows with the number of records that the most selective filter leaves. Words
    ///   and distances have no index: a query with no other filter reads all records of the type.
    ///   A search for words also reads all bytes of the searched texts.
    package func query(
        _ query: RecordQuery, in name: String, after mark: [UInt8]? = nil, limit: Int? = nil
    ) throws(RecordError) -> QueryPage {
        let zone = try self.zone(name)
        let schema = try core.schemas.current().schema
        let plan: QueryPlan
        do throws(RecordError) { plan = try QueryPlan(query, schema) } catch {
            // Another process may have added what the query needs.
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

    /// The most records to read at once: a search for words stops soon after its limit.
    private var batchCount: Int { plan.isSearching ? 16 : view.core.limits.answerCount }

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
            try take(found.names, range)
            place = found.mark
            if place == nil { range += 1 }
        }
        return answer
    }

    /// The next matching records, sorted: those after the last record of the previous page.
    mutating func sorted(_ mark: QueryMark?) throws(RecordError) -> QueryPage {
        var place: [UInt8]?
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
            try take(found.names, 0)
            guard searchLeft >= 0 else {
                throw RecordError(
                    .limitExceeded,
                    "sort records of type \(plan.query.type): more than "
                        + "\(view.core.limits.searchByteCount) bytes of text are searched")
            }
            guard answer.records.count <= view.core.limits.sortCount else {
                throw RecordError(
                    .limitExceeded,
                    "sort records of type \(plan.query.type): more than "
                        + "\(view.core.limits.sortCount) match")
            }
            place = found.mark
        } while place != nil
        plan.sort(&answer.records)
        var start = 0
        if let mark {
            start = try SortedPlace(mark).next(in: answer.records)
            answer.records.removeFirst(start)
            answer.failures = []
        }
        if answer.records.count > limit {
            answer.records.removeLast(answer.records.count - limit)
            let last = answer.records[limit - 1].identifier.name
            answer.mark = try sealedMark(0, SortedPlace(count: start + limit, last: last).bytes)
        }
        return answer
    }

    /// Refuses an empty page that has a successor, since such pages might never end.
    private static func check(_ page: IndexPage) throws(RecordError) {
        guard page.mark == nil || !page.names.isEmpty else {
            throw RecordError(.damaged, "look records up: a page of the index is empty")
        }
    }

    private func sealedMark(_ range: UInt8, _ place: [UInt8]) throws(RecordError) -> [UInt8] {
        let mark = QueryMark(zone: zone.head.incarnation, range: range, place: place)
        return try mark.sealed(plan.asked, view.database, view.core.container)
    }

    /// Adds the records that belong to the result.
    private mutating func take(_ names: [String], _ range: Int) throws(RecordError) {
        let stored = try view.core.backend.records(names, in: zone.life)
        for (name, stored) in zip(names, stored) {
            // The record may have been deleted since the index was read.
            guard let bytes = stored?.bytes else { continue }
            do throws(RecordError) {
                let record = try zone.record(bytes, name)
                guard record.type == plan.query.type, access.mayRead(record, schema) else {
                    continue
                }
                if plan.isSearching { searchLeft -= plan.searchedByteCount(record) }
                guard plan.matches(record, inRange: range) else { continue }
                answer.records.append(record)
            } catch {
                // It is not shared with the caller.
                if error.code == .unknownItem { continue }
                guard error.code == .damaged else { throw error }
                answer.failures.append((name, error))
            }
        }
    }
}
