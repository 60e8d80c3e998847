/// An error in a part of a query, and its position.
///
/// The message contains names from the schema, but nothing from the query's text, because the text
/// may contain values.
struct QueryFault: Error {
    /// The position, from 0, in Unicode scalars.
    let offset: Int
    let message: String

    init(_ offset: Int, _ message: String) { (self.offset, self.message) = (offset, message) }

    /// The error to throw, which names the part of the query that has the fault.
    func error(in part: String) -> ObjectError {
        ObjectError(.invalidQuery, "read the \(part), column \(offset + 1): \(message)")
    }
}
