/// What CloudKit has operations of queries for: where an answer goes on.
public enum CKQueryOperation {
    /// As many records as a page may have.
    public static let maximumResults = 0

    /// Where the next page of an answer goes on: opaque, and of one query to one database.
    public final class Cursor: Sendable {
        let query: RecordQuery
        /// The zones that are still to be looked through; the first one from the mark on.
        let zones: [CKRecordZone.ID]
        let mark: [UInt8]?

        init(_ query: RecordQuery, _ zones: [CKRecordZone.ID], _ mark: [UInt8]?) {
            (self.query, self.zones, self.mark) = (query, zones, mark)
        }
    }
}
