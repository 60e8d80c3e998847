/// A part of a zone on its way to another site.
package struct ZonePage: Sendable {
    /// The zone's head when the page was read.
    package let head: StoredZone
    /// The timeline of the sending site when the page was read.
    package let timeline: RandomIdentifier
    package let forgottenVersion: UInt64
    /// The page covers the versions after `start` and up to `end`.
    ///
    /// It has each record whose last change has one of these versions, and each batch whose first
    /// change has one of them. Records are sorted by their last changes, and batches by their
    /// first.
    package let start: UInt64
    package let end: UInt64
    package let records: [Row]
    /// The identifiers of remembered batches, the numbers of their first changes, and their times.
    package let batches: [Batch]

    /// The maximum number of batches that a page can have.
    package static let batchCount = 1_000

    package typealias Batch = (identifier: RandomIdentifier, first: UInt64, time: Int64)

    /// What is stored under a record's name.
    package struct Row: Sendable {
        package let name: String
        package let version: UInt64
        package let content: Content

        package enum Content: Sendable {
            case entry(RecordEntry)
            case deleted(type: String, time: Int64)
        }

        package init(_ name: String, version: UInt64, _ content: Content) {
            (self.name, self.version, self.content) = (name, version, content)
        }

        package var entry: RecordEntry? {
            if case .entry(let entry) = content { entry } else { nil }
        }
    }

    /// - Parameter end: `nil` if the page is the last one of the zone.
    package init(
        _ head: StoredZone, _ timeline: RandomIdentifier, forgottenVersion: UInt64,
        after start: UInt64, upTo end: UInt64?, _ records: [Row], _ batches: [Batch]
    ) {
        (self.head, self.timeline) = (head, timeline)
        (self.forgottenVersion, self.start) = (forgottenVersion, start)
        (self.end, self.records, self.batches) = (end ?? head.version, records, batches)
    }

    /// The page after `start`, with at most `limit` records and ``batchCount`` batches: it ends
    /// before the first record or batch for which it has no room.
    ///
    /// - Parameters:
    ///   - records: the first `limit` + 1 after `start`, or all if there are fewer, in the order of
    ///     their changes.
    ///   - batches: the first ``batchCount`` + 1 after `start`, or all if there are fewer, in the
    ///     order of their changes.
    package init(
        _ head: StoredZone, _ timeline: RandomIdentifier, forgottenVersion: UInt64,
        after start: UInt64, limit: Int, _ records: [Row], _ batches: [Batch]
    ) {
        let next = [
            records.dropFirst(limit).first?.version,
            batches.dropFirst(Self.batchCount).first?.first,
        ]
        let end = next.compactMap { $0 }.min().map { max($0, 1) - 1 }
        self.init(
            head, timeline, forgottenVersion: forgottenVersion, after: start, upTo: end,
            records.filter { $0.version <= end ?? .max },
            batches.filter { $0.first <= end ?? .max })
    }

    package var isLast: Bool { end == head.version }

    /// The assets that its records hold.
    package var assets: Set<RandomIdentifier> {
        records.reduce(into: []) { $0.formUnion($1.entry?.assets ?? []) }
    }

    /// The head for a receiver that has all changes up to the end of the page.
    package var receivedHead: StoredZone {
        var head = head
        head.version = end
        return head
    }
}
