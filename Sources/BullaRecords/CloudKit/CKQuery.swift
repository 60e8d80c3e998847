internal import Synchronization

/// What is looked for: records of a type that meet a predicate, in an order.
///
/// Fields that are looked at need an index in the schema, and are not encrypted.
public final class CKQuery: Sendable {
    /// The records' type.
    public let recordType: CKRecord.RecordType
    /// What the records have to meet.
    public let predicate: CKPredicate
    private let sorts = Mutex<[CKSortDescriptor]?>(nil)

    /// A query without an order.
    public init(recordType: CKRecord.RecordType, predicate: CKPredicate) {
        (self.recordType, self.predicate) = (recordType, predicate)
    }

    /// The answer's order: by the first field, where that is the same by the second, and so on.
    ///
    /// Records without a field come behind those that have it. Without an order, `nil`, records
    /// come as they are found.
    public var sortDescriptors: [CKSortDescriptor]? {
        get { sorts.withLock { $0 } }
        set { sorts.withLock { $0 = newValue } }
    }

    /// The query as the core knows it.
    ///
    /// - Parameter viewer: whom the name of the current user stands for.
    /// - Throws: `invalidArguments` for a predicate that cannot be asked.
    func asked(by viewer: AccountIdentifier?) throws(RecordError) -> RecordQuery {
        let filters = try predicate.checkedFilters().map { $0.resolved(viewer) }
        let sorts = (sortDescriptors ?? []).map {
            RecordQuery.Sort(SystemField.name(ofKey: $0.key), isAscending: $0.ascending)
        }
        return RecordQuery(recordType, filters: filters, sorts: sorts)
    }
}

/// One field of an order: what `NSSortDescriptor` is to CloudKit, which knows no names of fields
/// here.
public struct CKSortDescriptor: Hashable, Sendable {
    /// The field's name.
    public let key: String
    /// Whether the smallest value comes first.
    public let ascending: Bool

    /// An order by a field.
    public init(key: String, ascending: Bool) { (self.key, self.ascending) = (key, ascending) }
}

extension RecordQuery.Filter {
    /// The filter with the user's own name where it asks for the current user.
    fileprivate func resolved(_ viewer: AccountIdentifier?) -> Self {
        let users = [SystemField.createdBy.name, SystemField.modifiedBy.name]
        guard let viewer, users.contains(field) else { return self }
        let values = values.map { value in
            value.namesCurrentUser ? RecordValue.naming(viewer.userRecordName) : value
        }
        return Self(field, comparator, values)
    }
}

extension RecordValue {
    fileprivate var namesCurrentUser: Bool {
        switch self {
        case .reference(let reference): reference.record.name == CKCurrentUserDefaultName
        case .string(let name): name == CKCurrentUserDefaultName
        default: false
        }
    }
}
