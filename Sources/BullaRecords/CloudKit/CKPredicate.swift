/// The conditions that the records of a result must meet; takes the place of CloudKit's
/// `NSPredicate`.
///
/// ```swift
/// let predicate = CKPredicate(format: "title BEGINSWITH %@ AND pages >= 10", "Gro")
/// ```
///
/// A format consists of comparisons joined by `AND`; `NOT` can precede a comparison. A comparison
/// has a field and a value:
///
/// | Comparison | Is met if the field |
/// |---|---|
/// | `=` `==` `!=` `<>` `<` `<=` `>` `>=` | has this relation to the value |
/// | `IN` | equals one of a list's values |
/// | `CONTAINS` | is a list that contains the value |
/// | `BEGINSWITH` | is a text that begins with the value |
/// | `TOKENMATCHES[cdl]` | is a text, or a list of texts, that contains all words of the value |
///
/// `SELF CONTAINS` and `allTokens TOKENMATCHES[cdl]` look for words in all fields that the schema
/// marks as searchable; the words may be in different fields. Words are compared whole, regardless
/// of case and diacritics. `distanceToLocation:fromLocation:(place, %@) < 1000` is met if the field
/// `place` has a location less than 1000 meters from the argument, on a sphere with the Earth's
/// mean radius; `<=` is possible, too. There is no index for words or distances: a query without
/// any other comparison reads all records of its type. If such a query looks for words, it also
/// reads all bytes of the records' searchable texts.
///
/// A value is a number, a quoted text, `TRUE`, `FALSE`, or `%@` for the next argument; `%f` stands
/// for an argument that is a number. A list is an argument, or values in braces. `%K` stands for an
/// argument that names the field. `TRUEPREDICATE` matches all records. The system's fields are
/// `recordID`, `creationDate`, `modificationDate`, `creatorUserRecordID` and
/// `lastModifiedUserRecordID`.
///
/// A record without the field meets neither a comparison nor its `NOT`. Other features of
/// `NSPredicate` (`OR`, `ANY`, `LIKE`, options such as `[cd]`) are refused. An invalid format still
/// makes a predicate, but its ``error`` says what is wrong, and a query with it throws that error.
public struct CKPredicate: Hashable, Sendable {
    let filters: [RecordQuery.Filter]
    private let fault: PredicateFault?

    /// A predicate with a format, and arguments for its `%@` and `%K`.
    ///
    /// - Parameter arguments: values that fields can hold, arrays of them, records, and record
    ///   identifiers.
    /// - Complexity: linear in the bytes of the format.
    public init(format: String, _ arguments: Any...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// A predicate with a format, and an array of arguments.
    public init(format: String, argumentArray arguments: [Any]?) {
        do throws(PredicateFault) {
            filters = try PredicateReader.filters(format, arguments ?? [])
            fault = nil
        } catch { (filters, fault) = ([], error) }
    }

    /// For `true`, a predicate that all records meet; for `false`, an invalid predicate, because no
    /// record could meet it.
    public init(value: Bool) {
        filters = []
        fault = value ? nil : PredicateFault(nil, "a query for nothing cannot be asked")
    }

    /// Why the predicate cannot be used: `invalidArguments`, with the position in the format if
    /// there is one; `nil` if the predicate is valid.
    public var error: CKError? { fault.map { CKError($0.recordError) } }

    /// - Throws: `invalidArguments`.
    func checkedFilters() throws(RecordError) -> [RecordQuery.Filter] {
        if let fault { throw fault.recordError }
        return filters
    }
}
