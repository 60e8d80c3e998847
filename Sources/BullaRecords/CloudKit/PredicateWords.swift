/// The words of predicates: those that queries support, and those of `NSPredicate` that queries do
/// not support.
enum PredicateWords {
    static let comparators: [String: RecordQuery.Comparator] = [
        "=": .equals, "==": .equals, "!=": .notEquals, "<>": .notEquals,
        "<": .lessThan, "<=": .lessThanOrEquals, "=<": .lessThanOrEquals,
        ">": .greaterThan, ">=": .greaterThanOrEquals, "=>": .greaterThanOrEquals,
        "IN": .in, "CONTAINS": .listContains, "BEGINSWITH": .beginsWith,
        "TOKENMATCHES": .containsAllTokens,
    ]

    /// The field that stands for all fields in which queries can search for words.
    static let allTokens = "allTokens"

    /// The function that gives the distance between two locations.
    static let distance = "distanceToLocation:fromLocation:"

    /// Why `SELF` is refused, unless it is the left side of a search for words.
    static let selfReason =
        "a query looks at one field at a time: SELF stands only before CONTAINS and TOKENMATCHES"

    static let values: [String: RecordValue] = [
        "TRUE": .int64(1), "YES": .int64(1), "FALSE": .int64(0), "NO": .int64(0),
    ]

    static let or = "a query has no OR: ask twice, or use IN"

    /// The words that are refused, each with the reason.
    static let refused: [String: String] = {
        var refused = ["OR": or]
        for word in ["ANY", "SOME", "ALL", "NONE"] {
            refused[word] = "a query has no \(word): ask whether a list CONTAINS a value"
        }
        for word in ["LIKE", "MATCHES", "ENDSWITH"] {
            refused[word] = "a query has no \(word): an index finds texts only by BEGINSWITH"
        }
        for word in ["NIL", "NULL"] {
            refused[word] = "a query cannot ask for records without a field"
        }
        refused["BETWEEN"] = "a query has no BETWEEN: use >= and <="
        refused["FALSEPREDICATE"] = "a query for nothing cannot be asked"
        return refused
    }()

    /// Whether a word is a keyword, which names a field only after `#` or through `%K`.
    static func isReserved(_ word: String) -> Bool {
        let word = word.uppercased()
        return comparators[word] != nil || ["AND", "NOT", "TRUEPREDICATE"].contains(word)
    }
}

extension RecordQuery.Comparator {
    /// The comparator that, for any record with the field, holds exactly when this one does not.
    var opposite: Self? {
        switch self {
        case .lessThan: .greaterThanOrEquals
        case .lessThanOrEquals: .greaterThan
        case .greaterThan: .lessThanOrEquals
        case .greaterThanOrEquals: .lessThan
        default: negated ?? Self.allCases.first { $0.negated == self }
        }
    }

    /// The comparator that means the same once the two sides are exchanged; `nil` if there is none.
    var turned: Self? {
        switch self {
        case .equals, .notEquals: self
        case .lessThan: .greaterThan
        case .lessThanOrEquals: .greaterThanOrEquals
        case .greaterThan: .lessThan
        case .greaterThanOrEquals: .lessThanOrEquals
        case .in: .listContains
        case .listContains: .in
        default: nil
        }
    }
}

extension SystemField {
    /// The core's name for the field that CloudKit calls `key`; it differs only for system fields.
    static func name(ofKey key: String) -> String {
        switch key {
        case "creationDate": createTime.name
        case "modificationDate": modTime.name
        case "creatorUserRecordID": createdBy.name
        case "lastModifiedUserRecordID": modifiedBy.name
        case "recordID": recordID.name
        default: key
        }
    }
}

extension RecordValue {
    /// The value of a caller's argument: records and record identifiers become references.
    static func asked(_ value: Any) throws(ValueRefusal) -> RecordValue {
        switch value {
        case let record as CKRecord: return naming(record.recordID.recordName)
        case let id as CKRecordID: return naming(id.recordName)
        // An empty array can be cast to every array type, so a cast does not tell what kind of
        // array it is.
        case let records as [CKRecord] where !records.isEmpty:
            return .list(.reference, records.map { naming($0.recordID.recordName) })
        case let ids as [CKRecordID] where !ids.isEmpty:
            return .list(.reference, ids.map { naming($0.recordName) })
        default: return try kept(value)
        }
    }
}
