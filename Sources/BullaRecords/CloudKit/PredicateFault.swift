/// Where a predicate's format stops being one that can be asked, and why.
struct PredicateFault: Error, Hashable {
    /// Counted from 0, in bytes of the format; `nil` where no place is to blame.
    let offset: Int?
    let reason: String

    init(_ offset: Int?, _ reason: String) { (self.offset, self.reason) = (offset, reason) }

    /// The error for who asks by the predicate.
    var recordError: RecordError {
        let place = offset.map { "byte \($0 + 1) of the format: " } ?? ""
        return RecordError(.invalidArguments, "read a predicate: \(place)\(reason)")
    }
}
