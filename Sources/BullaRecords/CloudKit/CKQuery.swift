internal import Synchronization

/// A query for the records of a type that meet a predicate, in an order.
///
/// The fields in the predicate and the order need an index in the schema, and must not be
/// encrypted.
public final class CKQuery: Sendable {
    /// The type of the records.
    public let recordType: CKRecord.RecordType
    /// The predicate that the records must meet.
    public let predicate: CKPredicate
    private let sorts = Mutex<[CKSortDescriptor]?>(nil)

    /// A query without an order.
    public init(recordType: CKRecord.RecordType, predicate: CKPredicate) {
        (self.recordType, self.predicate) = (recordType, predicate)
    }

    /// The order of the result: by the first field; records with equal values by the second, and so
    /// on.
    ///
    /// Records without a field come after those that have it. With `nil`, records have no
    /// particular order.
    public var sortDescriptors: [CKSortDescriptor]? {
        get { sorts.withLock { $0 } }
        set { sorts.withLock { $0 = newValue } }
    }

    /// The query in the core's form.
    ///
    /// - Parameter viewer: the account for which ``CKCurrentUserDefaultName`` stands.
    /// - Throws: `invalidArguments` for an invalid predicate.
    func asked(by viewer: AccountIdentifier?) throws(RecordError) -> RecordQuery {
        let filters = try predicate.checkedFilters().map { $0.resolved(viewer) }
        let sorts = (sortDescriptors ?? []).map {
            RecordQuery.Sort(SystemField.name(ofKey: $0.key), isAscending: $0.ascending)
        }
        return RecordQuery(recordType, filters: filters, sorts: sorts)
    }
}

/// One field of an order, in place of `NSSortDescriptor`, which cannot name fields on Linux.
public struct CKSortDescriptor: Hashable, Sendable {
    /// The field's name.
    public let key: String
    /// Whether the smallest value comes first.
    public let ascending: Bool

    /// An order by a field.
    public init(key: String, ascending: Bool) { (self.key, self.ascending) = (key, ascending) }
}

extension RecordQuery.Filter {
    /// The filter, with the name of the user's record in place of ``CKCurrentUserDefaultName``.
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
