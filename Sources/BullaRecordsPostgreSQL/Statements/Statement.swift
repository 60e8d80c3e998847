#if PostgreSQL
/// A statement with numbered parameters.
struct Statement: Sendable {
    /// The name under which a connection prepares it.
    let name: String
    let text: String

    init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
}
#endif
