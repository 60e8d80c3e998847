/// How a query is answered: the ranges of indexes to search, and the conditions on the records
/// found.
struct QueryPlan: Sendable {
    /// The query as the caller asked it.
    let asked: RecordQuery
    /// The query without its filters by words, and with the values of the others converted to their
    /// fields' kinds.
    let query: RecordQuery
    /// The ranges of indexes, which are searched one after the other.
    let ranges: [IndexRange]
    /// Whether all matching records have to be found first, and then sorted.
    let isSorting: Bool
    /// The field whose index gives the order; records without the field come last.
    let orderField: String?
    /// The filters by words; ``query`` has only the other filters.
    private let searches: WordSearches

    /// - Throws: `invalidArguments` for a query that the schema does not allow; `unknownItem` for a
    ///   type that it does not have; `limitExceeded` for a search for too many words.
    init(_ query: RecordQuery, _ schema: RecordSchema) throws(RecordError) {
        asked = query
        var query = query
        searches = try WordSearches(query, schema)
        query.filters.removeAll { $0.comparator.comparison == .words }
        for index in query.filters.indices {
            query.filters[index] = try Self.checked(query.filters[index], query.type, schema)
        }
        for sort in query.sorts { try Self.check(sort, query.type, schema) }
        if asked.filters.isEmpty { _ = try schema.canList(query.type).get() }
        self.query = query
        let everything = IndexKey.field(RecordFinder.everyRecord, of: query.type)
        if let sort = query.sorts.first, query.sorts.count == 1, sort.origin == nil {
            let bounds = Self.bounds(query, sort.field)
            ranges = [
                IndexRange(bounds.lower, upTo: bounds.upper, isDescending: !sort.isAscending),
                everything,
            ]
            (isSorting, orderField) = (false, sort.field)
        } else {
            ranges = [Self.best(query) ?? everything]
            (isSorting, orderField) = (!query.sorts.isEmpty, nil)
        }
    }

    /// Checks that the schema allows a filter, and returns it with its values in the form in which
    /// they are compared.
    private static func checked(
        _ filter: RecordQuery.Filter, _ type: String, _ schema: RecordSchema
    ) throws(RecordError) -> RecordQuery.Filter {
        let comparison = filter.comparator.comparison
        _ = try schema.canFilter(type, filter.field, by: comparison).get()
        switch comparison {
        case .distance:
            guard filter.values.count == 2, case .location(let center) = filter.values[0],
                case .double(let radius) = filter.values[1], center.isOnGlobe,
                radius.isFinite, radius >= 0
            else {
                throw RecordError(
                    .invalidArguments,
                    "look near \(filter.field): it takes a location on the globe, and a distance "
                        + "that is not negative")
            }
            return filter
        default: return try fitted(filter, type, schema)
        }
    }

    private static func check(
        _ sort: RecordQuery.Sort, _ type: String, _ schema: RecordSchema
    ) throws(RecordError) {
        guard let origin = sort.origin else {
            _ = try schema.canSort(type, sort.field).get()
            return
        }
        _ = try schema.canFilter(type, sort.field, by: .distance).get()
        guard origin.isOnGlobe else {
            throw RecordError(
                .invalidArguments, "sort by \(sort.field): the location is not on the globe")
        }
    }

    /// The filter with its values converted to the field's kind: an integer can stand for a double,
    /// and a text for a reference to the record of that name.
    private static func fitted(
        _ filter: RecordQuery.Filter, _ type: String, _ schema: RecordSchema
    ) throws(RecordError) -> RecordQuery.Filter {
        guard let kind = schema.types[type]?[filter.field]?.kind else { return filter }
        let isOfElements =
            filter.comparator.comparison == .membership
            || filter.comparator.comparison == .memberPrefix
        var values: [RecordValue] = []
        for value in filter.values {
            switch (value, kind.element) {
            case (.int64(let number), .double): values.append(.double(Double(number)))
            case (.string(let name), .reference): values.append(.naming(name))
            case _
            where value.kind.element == kind.element
                && (isOfElements || value.kind.isList == kind.isList):
                values.append(value.comparable)
            default:
                throw RecordError(
                    .invalidArguments,
                    "look for \(filter.field): the value is of another kind than the field")
            }
        }
        guard !values.isEmpty else {
            throw RecordError(.invalidArguments, "look for \(filter.field): there is no value")
        }
        return RecordQuery.Filter(filter.field, filter.comparator, values)
    }

    /// A range of one index that contains every matching record; `nil` if no filter gives a range.
    ///
    /// It is the range of the first filter for one exact value, or else of the first field with a
    /// filter by order or prefix.
    private static func best(_ query: RecordQuery) -> IndexRange? {
        let exact = query.filters.first { filter in
            switch filter.comparator {
            case .equals, .listContains: filter.values[0].kind.element.isOrdered
            default: false
            }
        }
        if let exact, let value = exact.values[0].elements.first, !exact.values[0].kind.isList {
            return IndexKey.value(value, of: exact.field, query.type)
        }
        let ordered = query.filters.first { filter in
            filter.comparator.comparison == .order || filter.comparator == .beginsWith
        }
        return ordered.map { filter in
            let bounds = bounds(query, filter.field)
            return IndexRange(bounds.lower, upTo: bounds.upper)
        }
    }

    /// The part of a field's index in which the filters on the field can be met.
    private static func bounds(
        _ query: RecordQuery, _ field: String
    ) -> (lower: [UInt8], upper: [UInt8]) {
        let all = IndexKey.field(field, of: query.type)
        var (lower, upper) = (all.lower, all.upper)
        for filter in query.filters where filter.field == field {
            guard let value = filter.values.first, !value.kind.isList else { continue }
            // In the index, the places of the value begin with `start`, and so do the places of
            // longer values that begin with this value.
            let start = all.lower + IndexKey.ordered(value)
            switch filter.comparator {
            case .equals:
                lower = max(lower, start)
                upper = min(upper, IndexKey.end(of: start))
            case .greaterThan, .greaterThanOrEquals: lower = max(lower, start)
            case .lessThan, .lessThanOrEquals: upper = min(upper, IndexKey.end(of: start))
            case .beginsWith:
                lower = max(lower, start)
                upper = min(upper, IndexKey.end(ofPrefix: start, in: all))
            default: break
            }
        }
        return (lower, upper)
    }

    /// Whether a record found in a range belongs to the result.
    ///
    /// - Parameter searchLeft: how many bytes of text may still be searched for words; this call
    ///   subtracts those that it has searched.
    func matches(_ record: Record, inRange range: Int, _ searchLeft: inout Int) -> Bool {
        // Range 1 adds the records without the field; those with it were found in range 0.
        if let orderField, range == 1, record.queried(orderField) != nil { return false }
        return query.filters.allSatisfy { $0.isMet(by: record.queried($0.field)) }
            && searches.areMet(by: record, &searchLeft)
    }

    /// Whether records are searched for words, which takes time for each of their bytes.
    var isSearching: Bool { !searches.isEmpty }

    /// Sorts records by the query's order.
    func sort(_ records: inout [RankedRecord]) { records.sort { precedes($0, $1) } }

    private func precedes(_ one: RankedRecord, _ other: RankedRecord) -> Bool {
        for (sort, (first, second)) in zip(query.sorts, zip(one.keys, other.keys))
        where first != second {
            // Records without the field come last.
            guard let first, let second else { return first != nil }
            return sort.isAscending ? first.precedes(second) : second.precedes(first)
        }
        return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}

/// What a query keeps of a record for sorting; the record is read again for the page of the result
/// that contains it.
struct RankedRecord: Sendable {
    let name: String
    let tag: ChangeTag
    /// A value for each sort; `nil` if the record has none.
    let keys: [RecordValue?]

    init(_ record: Record, _ sorts: [RecordQuery.Sort]) {
        (name, tag) = (record.identifier.name, record.tag)
        // Distances are computed once for each record, not for each comparison.
        keys = sorts.map { sort in
            let value = record.queried(sort.field)
            guard let origin = sort.origin else { return value }
            guard case .location(let place) = value else { return nil }
            return place.distance(to: origin).map { .double($0) }
        }
    }

    /// How much memory it takes, roughly.
    var byteCount: Int {
        keys.reduce(name.utf8.count + 64) { sum, key in
            switch key {
            case .string(let text): sum + text.utf8.count
            case .bytes(let bytes): sum + bytes.count
            case .reference(let reference): sum + reference.record.name.utf8.count
            default: sum
            }
        }
    }
}

private func max(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
    one.lexicographicallyPrecedes(other) ? other : one
}

private func min(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
    other.lexicographicallyPrecedes(one) ? other : one
}

extension Record {
    /// The value of a plain field or a system field, in the form in which queries compare it.
    func queried(_ field: String) -> RecordValue? {
        guard let system = SystemField(rawValue: field) else {
            return opened.plain[field]?.comparable
        }
        guard system != .recordID else { return .naming(identifier.name) }
        return stamps.queried.first { $0.0 == field }?.1
    }
}

extension RecordValue {
    /// A reference to the record of this name, in the form in which queries compare it.
    static func naming(_ record: String) -> RecordValue {
        let zone = ZoneIdentifier(ZoneIdentifier.defaultName, owner: nil)
        return .reference(RecordReference(RecordIdentifier(record, in: zone)))
    }

    /// The value in the form in which queries compare it: for a reference only its target's name,
    /// since owner and participants name the zone differently.
    fileprivate var comparable: RecordValue {
        switch self {
        case .reference(let reference): .naming(reference.record.name)
        case .list(.reference, let elements): .list(.reference, elements.map(\.comparable))
        default: self
        }
    }
}
