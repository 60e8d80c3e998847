package import BullaRecords

/// A follower's copy of one life of a zone, with records as the backend stores them.
package struct FeedCopy {
    package private(set) var records: [String: StoredRecord] = [:]
    private var last: UInt64 = 0
    private var head: UInt64 = 0

    package init() {}

    /// Reads the next page, and checks that versions rise; `true` if there are more.
    package mutating func turn(
        _ limit: Int, _ backend: any RecordBackend, _ zone: ZoneLife
    ) throws(RecordError) -> Bool {
        let attempt = "follow zone \(zone.name)"
        guard let page = try backend.changes(in: zone, after: last, limit: limit) else {
            throw RecordError(.zoneNotFound, "\(attempt): it is gone")
        }
        guard page.headVersion >= head else {
            throw RecordError(.damaged, "\(attempt): its head went back")
        }
        head = page.headVersion
        for (name, record) in page.changes {
            guard record.version > last, record.version <= head else {
                throw RecordError(.damaged, "\(attempt): its versions do not rise")
            }
            (records[name], last) = (record, record.version)
        }
        return page.hasMore
    }

    /// The version of each record, and whether the record is deleted, as text.
    package var states: [String: String] {
        records.mapValues { "\($0.version)" + ($0.bytes == nil ? " deleted" : "") }
    }
}
