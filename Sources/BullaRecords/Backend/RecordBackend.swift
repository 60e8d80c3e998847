/// The storage of sealed records.
///
/// A backend stores sealed bytes, and the values of fields that are declared as searchable. It has
/// no key; verifying what it returns is the core's task.
///
/// A zone is the unit of atomic changes. Every change of a zone goes through its head, whose
/// version is the number of committed changes. Changes of different zones have no order among
/// themselves. Any number of threads can call at once; calls block.
///
/// Every method throws ``RecordError``: `unavailable` if it is worth trying again, `internalError`
/// if it is not, `damaged` if the stored data was altered, and `limitExceeded` if the data under
/// one name is too large. After `unavailable`, the caller does not know whether a batch was
/// committed, and asks ``outcome(of:in:)``.
///
/// Names and keys sort by their bytes. A page of results has at least one entry, even with a limit
/// of 0, unless no entry is left. A place is a container in one of its environments.
package protocol RecordBackend: Sendable {
    /// Identifies a database's history since its creation or the last restore: a restore begins
    /// another timeline, in which zones continue from the state of the backup.
    func timeline(of database: Database) throws(RecordError) -> RandomIdentifier

    /// The zones of a database, sorted by name.
    func zones(in database: Database) throws(RecordError) -> [StoredZone]
    /// Every zone of all databases of a place, in no particular order.
    func zones(of place: Place) throws(RecordError) -> [StoredZone]
    /// The zone with this name; `nil` if there is none.
    func zone(named name: String, in database: Database) throws(RecordError) -> StoredZone?
    /// Creates a zone; returns `false` if there is one with that name.
    func create(_ zone: StoredZone) throws(RecordError) -> Bool
    /// Replaces the keys in a zone's head; returns `false` if the epoch is no longer `formerEpoch`,
    /// the keys are not `formerKeys`, or the zone is gone.
    ///
    /// The replacement counts as a change of the zone: it raises the head's version.
    func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32,
        sealing: HeadSealing
    ) throws(RecordError) -> Bool
    /// Visits all records of a zone, except deleted ones, in the order of their names, as they are
    /// at one moment.
    ///
    /// It stops at the first error of `body`, and throws that error. If it throws `unavailable`, it
    /// may have visited some of the records.
    ///
    /// - Returns: the head at that moment; `nil` if this life of the zone has ended.
    func contents(
        of zone: ZoneLife, _ body: (_ name: String, StoredRecord) throws(RecordError) -> Void
    ) throws(RecordError) -> StoredZone?
    /// Ends a life of a zone and deletes its contents; returns `false` if it had already ended.
    func delete(_ zone: ZoneLife) throws(RecordError) -> Bool

    /// The records with these names, in this order: `nil` for a name under which nothing is stored,
    /// and the deletion for a deleted record.
    func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?]
    /// The assets that a record holds; none if it is gone, or this life of the zone has ended.
    func assets(
        heldBy record: String, in zone: ZoneLife
    ) throws(RecordError) -> Set<RandomIdentifier>
    /// Commits a batch durably.
    ///
    /// Throws `invalidArguments` if the batch changes a record twice, or has a name with a zero
    /// byte.
    func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome
    /// The outcome of a batch.
    ///
    /// The backend forgets the outcome only when it commits a batch that is more than a day younger
    /// than this one. It does not remember batches without changes, which can be repeated.
    ///
    /// - Returns: the number of the batch's first change; `nil` if the batch was not committed, or
    ///   if its outcome is forgotten.
    func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64?

    /// The records that were changed after `version`, as they are now, in the order of their last
    /// changes.
    ///
    /// - Returns: `nil` if this life of the zone has ended.
    func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage?
    /// The names of the records in a range of an index, in the range's order.
    ///
    /// - Parameters:
    ///   - range: places made by ``IndexKey``.
    ///   - mark: the end of the previous page; `nil` at the beginning. It can lie outside the
    ///     range: the page begins with the first place in the range that comes after the mark, in
    ///     the range's order.
    func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage
    /// Moves records to other places in indexes, without a change that followers see.
    ///
    /// Skips a record that is gone, or that no longer has the tag given in `records`.
    func reindex(_ records: [ReindexedRecord], in zone: ZoneLife) throws(RecordError)
    /// The names of the records whose references to the record `name` have this action.
    func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String]

    /// A document of a place, or of one of the place's accounts, as the core wrote it.
    ///
    /// The schema, for example, is a document of a place. All documents of a place and of its
    /// accounts have different names.
    ///
    /// - Parameter account: `nil` for a document of the place itself.
    func document(
        _ name: String, of place: Place, for account: AccountIdentifier?
    ) throws(RecordError) -> StoredDocument?
    /// Replaces a document; returns `false` if its version is no longer `version`.
    ///
    /// A missing document has version 0.
    func replace(
        _ name: String, of place: Place, for account: AccountIdentifier?, version: UInt64,
        with bytes: [UInt8]
    ) throws(RecordError) -> Bool

    /// Waits until some process has changed the store; it may return early.
    ///
    /// - Parameter commit: the result of the last call that did not return `nil`; 0 at the
    ///   beginning.
    /// - Returns: what to pass as `commit` to the next call; `nil` if nothing has changed.
    func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64?

    /// Stores chunks of an asset that no record holds yet; throws `invalidArguments` if a record
    /// holds it, or if it was uploaded for another database.
    ///
    /// The chunks become durable, at the latest, with the batch that gives the asset to a record.
    /// Throws `assetNotFound` if these are not the asset's first chunks, and the store has nothing
    /// of the asset any more, because the earlier chunks were freed. The call can return before
    /// `next` returns nil, but it takes at least one chunk from `next`, and stores every chunk that
    /// it takes. If it throws, it has stored at most an initial part of the chunks; a caller that
    /// still has the chunks can put them again.
    ///
    /// - Parameters:
    ///   - first: the index, in the asset, of the first of these chunks; the others follow it.
    ///   - database: the only database whose records can hold the asset.
    ///   - next: returns the chunks one by one, at least one, and nil after the last. If the
    ///     backend releases each chunk before it calls `next` again, the caller can reuse the
    ///     chunks' memory.
    func put(
        from first: UInt32, of asset: RandomIdentifier, in database: Database, time: Int64,
        _ next: () -> [UInt8]?
    ) throws(RecordError)
    /// Reads a chunk of an asset into a buffer, replacing its contents; returns `false` if there is
    /// none.
    ///
    /// Reading chunks of equal length one after the other allocates memory only once.
    func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database,
        into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool
    /// Frees the assets that no record holds, and of which no chunk was put at or after `time`.
    ///
    /// - Returns: how many assets were freed.
    func freeOrphans(before time: Int64) throws(RecordError) -> Int
    /// Forgets which records were deleted before `time`.
    ///
    /// A follower that has not yet read all of these deletions learns from
    /// ``ChangePage/forgottenVersion`` that some are forgotten. While a database is being moved to
    /// another site, its deletions are kept.
    func forgetDeletions(before time: Int64, in zone: ZoneLife) throws(RecordError)
    /// Forgets, in all zones of a place, which records were deleted before `time`; the backend may
    /// skip a zone in which it cannot do that now, and leave it to the next call.
    func forgetDeletions(before time: Int64, of place: Place) throws(RecordError)
}

extension RecordBackend {
    package func forgetDeletions(before time: Int64, of place: Place) throws(RecordError) {
        for zone in try zones(of: place) { try forgetDeletions(before: time, in: ZoneLife(zone)) }
    }

    /// Stores one or more chunks of an asset, all of which are in memory.
    package func put(
        _ chunks: [[UInt8]], from first: UInt32, of asset: RandomIdentifier,
        in database: Database, time: Int64
    ) throws(RecordError) {
        var rest = chunks[...]
        repeat {
            let index = first + UInt32(rest.startIndex)
            try put(from: index, of: asset, in: database, time: time) { rest.popFirst() }
        } while !rest.isEmpty
    }

    /// A chunk of an asset; `nil` if there is none.
    package func chunk(
        _ index: UInt32, of asset: RandomIdentifier, in database: Database
    ) throws(RecordError) -> [UInt8]? {
        var chunk: [UInt8] = []
        return try readChunk(index, of: asset, in: database, into: &chunk) ? chunk : nil
    }

    /// A document of a place itself.
    package func document(
        _ name: String, of place: Place
    ) throws(RecordError) -> StoredDocument? {
        try document(name, of: place, for: nil)
    }

    /// Replaces a document of a place itself.
    package func replace(
        _ name: String, of place: Place, version: UInt64, with bytes: [UInt8]
    ) throws(RecordError) -> Bool {
        try replace(name, of: place, for: nil, version: version, with: bytes)
    }
}

/// The documents of a place, and of its accounts.
package enum PlaceDocument {
    /// The schema; a backend refuses a batch that was not checked against the schema's present
    /// version.
    package static let schema = "schema"
    /// The mark that shows whether records and keys belong together.
    static let keyMark = "key mark"
    /// The name that the settings gave the site.
    static let siteName = "name of the site"

    /// The public keys of an account.
    static func publicKeys(of account: AccountIdentifier) -> String {
        "keys of \(account.identifier.text)"
    }

    /// The zones that others share with an account.
    static func sharedZones(of account: AccountIdentifier) -> String {
        "zones shared with \(account.identifier.text)"
    }

    /// All documents that an account can have.
    package static func all(of account: AccountIdentifier?) -> [String] {
        account.map { [publicKeys(of: $0), sharedZones(of: $0)] } ?? []
    }
}

/// A page of a zone's changes.
package struct ChangePage: Hashable, Sendable {
    package let changes: [(name: String, record: StoredRecord)]
    /// The head's version when the page was read.
    package let headVersion: UInt64
    /// The number of the newest forgotten deletion; 0 if none is forgotten.
    package let forgottenVersion: UInt64
    /// Whether there are more changes.
    package let hasMore: Bool

    package init(
        _ changes: [(name: String, record: StoredRecord)], headVersion: UInt64,
        forgottenVersion: UInt64, hasMore: Bool
    ) {
        (self.changes, self.headVersion) = (changes, headVersion)
        (self.forgottenVersion, self.hasMore) = (forgottenVersion, hasMore)
    }

    package static func == (one: ChangePage, other: ChangePage) -> Bool {
        one.changes.elementsEqual(other.changes) { $0 == $1 }
            && one.headVersion == other.headVersion && one.hasMore == other.hasMore
            && one.forgottenVersion == other.forgottenVersion
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(headVersion)
        for change in changes { hasher.combine(change.name) }
    }
}

/// A range of an index.
package struct IndexRange: Hashable, Sendable {
    /// The first place in the range.
    package let lower: [UInt8]
    /// The first place after the range.
    package let upper: [UInt8]
    package let isDescending: Bool

    package init(_ lower: [UInt8], upTo upper: [UInt8], isDescending: Bool = false) {
        (self.lower, self.upper, self.isDescending) = (lower, upper, isDescending)
    }
}

/// A page of a range.
package struct IndexPage: Hashable, Sendable {
    package let names: [String]
    /// The position for the next page; `nil` at the end.
    package let mark: [UInt8]?

    package init(_ names: [String], mark: [UInt8]?) { (self.names, self.mark) = (names, mark) }
}

/// Bytes that are replaced as a whole.
package struct StoredDocument: Hashable, Sendable {
    package let version: UInt64
    package let bytes: [UInt8]

    package init(version: UInt64, _ bytes: [UInt8]) {
        (self.version, self.bytes) = (version, bytes)
    }
}
