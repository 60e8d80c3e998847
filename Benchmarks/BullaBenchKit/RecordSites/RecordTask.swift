/// What clients do with records.
enum RecordTask: String, CaseIterable {
    /// Saves all records as new ones, in batches, each of which is durable.
    case save
    /// Reads records by their names, and opens every field.
    case fetch
    /// Finds all records by an index, without opening encrypted fields.
    case query
    /// Gets all changes, one answer after the other, without opening encrypted fields.
    case changes
}
