/// What the records of an answer have to meet: what `NSPredicate` is to CloudKit.
///
/// ```swift
/// let predicate = CKPredicate(format: "title BEGINSWITH %@ AND pages >= 10", "Gro")
/// ```
///
/// A format has comparisons with `AND` between them, and `NOT` before one of them. A comparison is
/// of a field with a value:
///
/// | Comparison | Is met where the field |
/// |---|---|
/// | `=` `==` `!=` `<>` `<` `<=` `>` `>=` | is so |
/// | `IN` | is one of a list's values |
/// | `CONTAINS` | is a list, and has the value |
/// | `BEGINSWITH` | is a text, and begins so |
///
/// A value is a number, a text in quotes, `TRUE`, `FALSE`, or `%@` for the next argument; a list is
/// an argument, or values in braces. `%K` stands for an argument that names the field.
/// `TRUEPREDICATE` asks for all records. What the system keeps is called `recordID`,
/// `creationDate`, `modificationDate`, `creatorUserRecordID` and `lastModifiedUserRecordID`.
///
/// A record without the field meets no comparison, and no `NOT` of one. What else `NSPredicate`
/// knows (`OR`, `ANY`, `LIKE`, options such as `[cd]`) is refused. A format that is refused makes a
/// predicate all the same, whose ``error`` says why: asking by it throws that.
public struct CKPredicate: Hashable, Sendable {
    let filters: [RecordQuery.Filter]
    private let fault: PredicateFault?

    /// A predicate of a format, and of arguments for its `%@` and `%K`.
    ///
    /// - Parameter arguments: what fields hold, arrays of it, records, and names of records.
    /// - Complexity: in the format's bytes.
    public init(format: String, _ arguments: Any...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// A predicate of a format, and of an array of arguments.
    public init(format: String, argumentArray arguments: [Any]?) {
        do throws(PredicateFault) {
            filters = try PredicateReader.filters(format, arguments ?? [])
            fault = nil
        } catch { (filters, fault) = ([], error) }
    }

    /// A predicate that all records meet; `false`, which none would, is refused.
    public init(value: Bool) {
        filters = []
        fault = value ? nil : PredicateFault(nil, "a query for nothing cannot be asked")
    }

    /// Why nothing can be asked by it: `invalidArguments` with the place in the format; `nil` where
    /// something can.
    public var error: CKError? { fault.map { CKError($0.recordError) } }

    /// - Throws: `invalidArguments`.
    func checkedFilters() throws(RecordError) -> [RecordQuery.Filter] {
        if let fault { throw fault.recordError }
        return filters
    }
}
