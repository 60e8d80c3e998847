/// The words of predicates: those that queries have, and those of `NSPredicate` that they have not.
enum PredicateWords {
    static let comparators: [String: RecordQuery.Comparator] = [
        "=": .equals, "==": .equals, "!=": .notEquals, "<>": .notEquals,
        "<": .lessThan, "<=": .lessThanOrEquals, "=<": .lessThanOrEquals,
        ">": .greaterThan, ">=": .greaterThanOrEquals, "=>": .greaterThanOrEquals,
        "IN": .in, "CONTAINS": .listContains, "BEGINSWITH": .beginsWith,
    ]

    static let values: [String: RecordValue] = [
        "TRUE": .int64(1), "YES": .int64(1), "FALSE": .int64(0), "NO": .int64(0),
    ]

    static let or = "a query has no OR: ask twice, or by IN"

    /// Why each is refused.
    static let refused: [String: String] = {
        var refused = ["OR": or]
        for word in ["ANY", "SOME", "ALL", "NONE"] {
            refused[word] = "a query has no \(word): ask whether a list CONTAINS a value"
        }
        for word in ["LIKE", "MATCHES", "ENDSWITH"] {
            refused[word] = "a query has no \(word): no index finds texts so, but by BEGINSWITH"
        }
        for word in ["NIL", "NULL"] {
            refused[word] = "a query cannot ask for records without a field"
        }
        refused["BETWEEN"] = "a query has no BETWEEN: ask by >= and <="
        refused["FALSEPREDICATE"] = "a query for nothing cannot be asked"
        refused["SELF"] = "a query looks at one field at a time, and not for words in all"
        return refused
    }()

    /// Whether a word cannot be the name of a field, unless `#` or `%K` gives it.
    static func isReserved(_ word: String) -> Bool {
        let word = word.uppercased()
        return comparators[word] != nil || ["AND", "NOT", "TRUEPREDICATE"].contains(word)
    }
}

extension RecordQuery.Comparator {
    /// The comparator that is met where this one is not, by records that have the field.
    var opposite: Self? {
        switch self {
        case .lessThan: .greaterThanOrEquals
        case .lessThanOrEquals: .greaterThan
        case .greaterThan: .lessThanOrEquals
        case .greaterThanOrEquals: .lessThan
        default: negated ?? Self.allCases.first { $0.negated == self }
        }
    }

    /// The comparator that says the same with its sides exchanged.
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
    /// The field of a name in predicates, where CloudKit calls what the system keeps otherwise.
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
    /// What a caller gave to compare a field with: records and their names stand for references.
    static func asked(_ value: Any) throws(ValueRefusal) -> RecordValue {
        switch value {
        case let record as CKRecord: return naming(record.recordID.recordName)
        case let id as CKRecordID: return naming(id.recordName)
        // Where it is empty, an array is one of each type.
        case let records as [CKRecord] where !records.isEmpty:
            return .list(.reference, records.map { naming($0.recordID.recordName) })
        case let ids as [CKRecordID] where !ids.isEmpty:
            return .list(.reference, ids.map { naming($0.recordName) })
        default: return try kept(value)
        }
    }
}
