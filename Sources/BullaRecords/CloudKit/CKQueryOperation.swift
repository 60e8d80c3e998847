/// A namespace with CloudKit's name, for the cursor of a query.
public enum CKQueryOperation {
    /// Stands for as many records as a page can have.
    public static let maximumResults = 0

    /// The position of a result's next page: opaque, and valid only for one query and one database.
    public final class Cursor: Sendable {
        let query: RecordQuery
        /// The zones that are still to be searched; the first one is searched from the mark on.
        let zones: [CKRecordZone.ID]
        let mark: [UInt8]?

        init(_ query: RecordQuery, _ zones: [CKRecordZone.ID], _ mark: [UInt8]?) {
            (self.query, self.zones, self.mark) = (query, zones, mark)
        }
    }
}
