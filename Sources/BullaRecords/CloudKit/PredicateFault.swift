/// An error in a predicate's format, and its position.
struct PredicateFault: Error, Hashable {
    /// How many bytes of the format precede the error; `nil` if the error has no position.
    let offset: Int?
    let reason: String

    init(_ offset: Int?, _ reason: String) { (self.offset, self.reason) = (offset, reason) }

    /// The error that a query with the predicate throws.
    var recordError: RecordError {
        let place = offset.map { "byte \($0 + 1) of the format: " } ?? ""
        return RecordError(.invalidArguments, "read a predicate: \(place)\(reason)")
    }
}
