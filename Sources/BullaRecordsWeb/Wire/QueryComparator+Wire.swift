package import BullaRecords

extension RecordQuery.Comparator {
    /// The spelling in requests.
    package var wireName: String {
        switch self {
        case .equals: "EQUALS"
        case .notEquals: "NOT_EQUALS"
        case .lessThan: "LESS_THAN"
        case .lessThanOrEquals: "LESS_THAN_OR_EQUALS"
        case .greaterThan: "GREATER_THAN"
        case .greaterThanOrEquals: "GREATER_THAN_OR_EQUALS"
        case .in: "IN"
        case .notIn: "NOT_IN"
        case .listContains: "LIST_CONTAINS"
        case .notListContains: "NOT_LIST_CONTAINS"
        case .listContainsAny: "LIST_CONTAINS_ANY"
        case .notListContainsAny: "NOT_LIST_CONTAINS_ANY"
        case .listContainsAll: "LIST_CONTAINS_ALL"
        case .notListContainsAll: "NOT_LIST_CONTAINS_ALL"
        case .beginsWith: "BEGINS_WITH"
        case .notBeginsWith: "NOT_BEGINS_WITH"
        case .listMemberBeginsWith: "LIST_MEMBER_BEGINS_WITH"
        case .notListMemberBeginsWith: "NOT_LIST_MEMBER_BEGINS_WITH"
        case .containsAllTokens: "CONTAINS_ALL_TOKENS"
        case .containsAnyTokens: "CONTAINS_ANY_TOKENS"
        case .near: "NEAR"
        }
    }

    /// The comparator that a request names; `nil` if none has this name.
    init?(wireName: String) {
        guard let comparator = Self.wireNames[wireName] else { return nil }
        self = comparator
    }

    private static let wireNames: [String: Self] = {
        var names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.wireName, $0) })
        // Some clients use this name in place of `LIST_CONTAINS_ANY`.
        names["CONTAINS_ANY"] = .listContainsAny
        return names
    }()

    /// Whether a filter with this comparator must have a list of values.
    var needsList: Bool {
        switch self {
        case .in, .notIn, .listContainsAll, .notListContainsAll, .listContainsAny,
            .notListContainsAny:
            true
        default: false
        }
    }

    /// Whether each element of a filter's list is a separate value to compare with.
    var takesElements: Bool { needsList || comparison == .membership }
}
