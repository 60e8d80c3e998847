/// A backend that is one of several sites, between which databases can move.
///
/// Its calls check the claim of ``claiming(_:)`` in their own transactions; see ``HomeRow``.
/// Documents of places are at every site, and need no claim.
package protocol SiteBackend: RecordBackend {
    /// The same site for callers with a claim; `nil` for callers that know of no other site.
    ///
    /// A call with a claim that does not hold changes nothing, and throws `unavailable` with
    /// ``RecordError/hasMoved``.
    func claiming(_ claim: HomeClaim?) -> any SiteBackend

    /// Identifies the history of the site itself, as ``RecordBackend/timeline(of:)`` does for a
    /// database that has not moved.
    func siteTimeline() throws(RecordError) -> RandomIdentifier
    /// What movers of databases need.
    var moves: any SiteMoves { get }
}

/// What a site offers to a mover of databases.
///
/// Each call is made under the site's claim, except those that read or replace rows of homes.
package protocol SiteMoves: Sendable {
    /// The row of a database's home; `nil` if the site has none.
    func home(of database: Database) throws(RecordError) -> HomeRow?
    /// The rows of all databases of a place.
    func homes(of place: Place) throws(RecordError) -> [Database: HomeRow]
    /// Replaces a row; returns `false` if it is no longer `former`.
    ///
    /// It waits for changes of the database in progress; changes that begin later see the new row.
    func replaceHome(
        of database: Database, _ former: HomeRow?, with next: HomeRow
    ) throws(RecordError) -> Bool

    /// The next part of a zone, with what other sites need to know of it.
    ///
    /// - Parameters:
    ///   - version: the last change that the receiver has.
    ///   - hasBatches: whether the last page has the identifiers of all remembered batches.
    /// - Returns: `nil` if this life of the zone has ended.
    func page(
        of zone: ZoneLife, after version: UInt64, limit: Int, hasBatches: Bool
    ) throws(RecordError) -> ZonePage?
    /// Stores a page of another site.
    ///
    /// - Returns: `false`, and changes nothing, if the zone is not at the start of the page.
    func take(_ page: ZonePage) throws(RecordError) -> Bool
    /// Stores a document of another site with its version, unless this site's version is as new.
    func take(
        _ document: StoredDocument, named name: String, of place: Place,
        for account: AccountIdentifier?
    ) throws(RecordError)
    /// How many records hold an asset; `nil` if nothing is stored of it.
    func holderCount(
        of asset: RandomIdentifier, in database: Database
    ) throws(RecordError) -> UInt64?
    /// The assets of a database that no record holds, with the times of their last chunks.
    func uploads(
        in database: Database
    ) throws(RecordError) -> [(asset: RandomIdentifier, time: Int64)]
    /// Frees an asset, unless a record holds it.
    func free(_ asset: RandomIdentifier, in database: Database) throws(RecordError)
    /// Deletes documents of a database's owner, and the database's assets that no record holds.
    func clear(_ documents: [String], of database: Database) throws(RecordError)
}

/// A part of a zone on its way to another site.
package struct ZonePage: Sendable {
    /// The zone's head when the page was read.
    package let head: StoredZone
    package let forgottenVersion: UInt64
    /// The page has all records whose last changes are after `start`, up to `end`.
    package let start: UInt64
    package let end: UInt64
    package let records: [Row]
    /// The identifiers of batches, the numbers of their first changes, and their times.
    package let batches: [Batch]

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

    /// - Parameter end: `nil` if no change follows.
    package init(
        _ head: StoredZone, forgottenVersion: UInt64, after start: UInt64, upTo end: UInt64?,
        _ records: [Row], _ batches: [Batch]
    ) {
        (self.head, self.forgottenVersion, self.start) = (head, forgottenVersion, start)
        (self.end, self.records, self.batches) = (end ?? head.version, records, batches)
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
