package import BullaRecords

/// How a filter of a query compares a field with its value.
package enum QueryComparator: String, CaseIterable, Sendable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case isIn = "IN"
    case notIn = "NOT_IN"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"

    /// Whether the filter's value is a list of what the field is compared with.
    package var takesList: Bool {
        switch self {
        case .isIn, .notIn, .listContainsAll, .notListContainsAll, .listContainsAny,
            .notListContainsAny:
            true
        default: false
        }
    }

    /// What the schema is asked for; a negation asks for the same as what it negates.
    package var comparison: FieldComparison {
        switch self {
        case .equals, .notEquals, .isIn, .notIn: .equality
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: .order
        case .beginsWith, .notBeginsWith: .prefix
        case .listMemberBeginsWith, .notListMemberBeginsWith: .memberPrefix
        case .listContains, .notListContains, .listContainsAll, .notListContainsAll,
            .listContainsAny, .notListContainsAny:
            .membership
        }
    }

    /// The comparator of a name; `nil` where it is none.
    package static func named(_ name: String) -> QueryComparator? {
        QueryComparator(rawValue: name) ?? formerNames[name]
    }

    /// What clients say too.
    private static let formerNames: [String: QueryComparator] = [
        "CONTAINS_ANY": .listContainsAny
    ]
}
