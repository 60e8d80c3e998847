/// Which fields of a record make its key, and which its value.
struct RecordFields: Sendable {
    /// The fields whose values, joined with a space, are the key; empty: the format's default.
    var key: [String] = []
    /// The field whose value is the value; `nil`: the whole record.
    var value: String?
}
