internal import Synchronization

/// A query for those records of a type that meet a predicate, optionally in a given order.
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

    /// The order of the result: by the first field, then, among records with equal values in it, by
    /// the second, and so on.
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
            RecordQuery.Sort(
                SystemField.name(ofKey: $0.key), isAscending: $0.ascending, from: $0.origin)
        }
        return RecordQuery(recordType, filters: filters, sorts: sorts)
    }
}

/// One field of an order; takes the place of `CKLocationSortDescriptor`, and of `NSSortDescriptor`,
/// which cannot name fields on Linux.
public struct CKSortDescriptor: Hashable, Sendable {
    /// The field's name.
    public let key: String
    /// Whether the smallest value comes first.
    public let ascending: Bool

    /// The location from which distances are measured; `nil` to order by the values themselves.
    public let relativeLocation: CKLocation?

    /// An order by a field.
    public init(key: String, ascending: Bool) {
        (self.key, self.ascending, relativeLocation) = (key, ascending, nil)
    }

    /// An order by the distance of a field's location from a given location, closest first.
    ///
    /// Distances are measured as in ``CKPredicate``. Records without a location on the globe come
    /// last.
    ///
    /// - Complexity: for each page, a query with this order reads all records that an index finds
    ///   for its predicate. If no index serves the predicate, it reads all records of the type.
    public init(key: String, relativeLocation: CKLocation) {
        (self.key, ascending, self.relativeLocation) = (key, true, relativeLocation)
    }

    fileprivate var origin: Location? {
        relativeLocation.map { Location(latitude: $0.latitude, longitude: $0.longitude) }
    }
}

/// An order by distance, under CloudKit's name.
public typealias CKLocationSortDescriptor = CKSortDescriptor

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
