/// What is wrong with a part of a query, and where.
///
/// The message has names of the schema, and nothing of what was written: that may be a value.
struct QueryFault: Error {
    /// From 0, in letters.
    let offset: Int
    let message: String

    init(_ offset: Int, _ message: String) { (self.offset, self.message) = (offset, message) }

    /// The error of a part of a query, which messages call so.
    func error(in part: String) -> ObjectError {
        ObjectError(.invalidQuery, "read the \(part), column \(offset + 1): \(message)")
    }
}
