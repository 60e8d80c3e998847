/// A query for the records of one type that match all filters, in a given order.
package struct RecordQuery: Hashable, Sendable {
    package let type: String
    package var filters: [Filter]
    package var sorts: [Sort]

    package init(_ type: String, filters: [Filter] = [], sorts: [Sort] = []) {
        (self.type, self.filters, self.sorts) = (type, filters, sorts)
    }

    /// A condition on one field.
    ///
    /// A record without the field meets no condition, not even a negated one.
    package struct Filter: Hashable, Sendable {
        /// Stands for all fields in which the schema lets queries search for words.
        ///
        /// No field can have this name.
        package static let everySearchedField = "___allTokens"

        package let field: String
        package let comparator: Comparator
        /// One value; for `in`, `listContainsAny`, `listContainsAll` and their negations, any
        /// number of values; for `containsAllTokens` and `containsAnyTokens`, the texts that hold
        /// the words to search for; for `near`, a location and the greatest distance in meters.
        package let values: [RecordValue]

        package init(_ field: String, _ comparator: Comparator, _ values: [RecordValue]) {
            (self.field, self.comparator, self.values) = (field, comparator, values)
        }
    }

    package struct Sort: Hashable, Sendable {
        package let field: String
        package let isAscending: Bool
        /// The location from which distances to the field's location are measured; `nil` to sort by
        /// the values.
        package let origin: Location?

        package init(_ field: String, isAscending: Bool = true, from origin: Location? = nil) {
            (self.field, self.isAscending, self.origin) = (field, isAscending, origin)
        }
    }

    package enum Comparator: String, CaseIterable, Sendable {
        case equals, notEquals
        case lessThan, lessThanOrEquals, greaterThan, greaterThanOrEquals
        case `in`, notIn
        case listContains, notListContains, listContainsAny, notListContainsAny
        case listContainsAll, notListContainsAll
        case beginsWith, notBeginsWith
        case listMemberBeginsWith, notListMemberBeginsWith
        case containsAllTokens, containsAnyTokens
        case near

        /// The comparison that the schema must allow.
        package var comparison: FieldComparison {
            switch self {
            case .equals, .notEquals, .in, .notIn: .equality
            case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: .order
            case .beginsWith, .notBeginsWith: .prefix
            case .listMemberBeginsWith, .notListMemberBeginsWith: .memberPrefix
            case .containsAllTokens, .containsAnyTokens: .words
            case .near: .distance
            default: .membership
            }
        }

        /// The comparator that this one negates, if it negates one.
        var negated: Comparator? {
            switch self {
            case .notEquals: .equals
            case .notIn: .in
            case .notListContains: .listContains
            case .notListContainsAny: .listContainsAny
            case .notListContainsAll: .listContainsAll
            case .notBeginsWith: .beginsWith
            case .notListMemberBeginsWith: .listMemberBeginsWith
            default: nil
            }
        }
    }
}

extension RecordQuery.Filter {
    /// Whether a record's value meets the filter; never call it for a filter by words.
    func isMet(by value: RecordValue?) -> Bool {
        guard let value else { return false }
        if let positive = comparator.negated {
            return !Self.isMet(positive, value, values)
        }
        return Self.isMet(comparator, value, values)
    }

    private static func isMet(
        _ comparator: RecordQuery.Comparator, _ value: RecordValue, _ wanted: [RecordValue]
    ) -> Bool {
        switch comparator {
        case .equals: wanted.first == value
        case .in: wanted.contains(value)
        case .listContains, .listContainsAll: wanted.allSatisfy(value.elements.contains)
        case .listContainsAny: wanted.contains(where: value.elements.contains)
        case .beginsWith: wanted.first.map { value.begins(with: $0) } ?? false
        case .listMemberBeginsWith:
            wanted.first.map { prefix in value.elements.contains { $0.begins(with: prefix) } }
                ?? false
        case .near: value.isNear(wanted)
        default: wanted.first.map { value.isInOrder(comparator, $0) } ?? false
        }
    }
}

extension RecordValue {
    /// Whether this location lies within a distance of another location.
    fileprivate func isNear(_ wanted: [RecordValue]) -> Bool {
        guard case .location(let place) = self, wanted.count == 2,
            case .location(let center) = wanted[0], case .double(let radius) = wanted[1]
        else { return false }
        return place.distance(to: center).map { $0 <= radius } ?? false
    }

    /// Whether this text, or these bytes, begin with `prefix`.
    fileprivate func begins(with prefix: RecordValue) -> Bool {
        switch (self, prefix) {
        case (.string(let text), .string(let prefix)): text.utf8.starts(with: prefix.utf8)
        case (.bytes(let bytes), .bytes(let prefix)): bytes.starts(with: prefix)
        default: false
        }
    }

    fileprivate func isInOrder(
        _ comparator: RecordQuery.Comparator, _ other: RecordValue
    ) -> Bool {
        switch comparator {
        case .lessThan: precedes(other)
        case .lessThanOrEquals: self == other || precedes(other)
        case .greaterThan: other.precedes(self)
        case .greaterThanOrEquals: self == other || other.precedes(self)
        default: false
        }
    }

    /// Whether it sorts before another value of its kind, in the order of indexes.
    func precedes(_ other: RecordValue) -> Bool {
        switch (self, other) {
        case (.string(let one), .string(let two)):
            one.utf8.lexicographicallyPrecedes(two.utf8)
        case (.bytes(let one), .bytes(let two)): one.lexicographicallyPrecedes(two)
        case (.int64(let one), .int64(let two)), (.timestamp(let one), .timestamp(let two)):
            one < two
        case (.double(let one), .double(let two)): one < two
        case (.reference(let one), .reference(let two)):
            one.record.name.utf8.lexicographicallyPrecedes(two.record.name.utf8)
        default: false
        }
    }
}
