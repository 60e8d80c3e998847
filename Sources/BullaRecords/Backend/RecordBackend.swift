/// Where sealed records are kept.
///
/// A backend holds sealed bytes, and those values that were declared to be found by. It has no key:
/// the core checks what it gives back.
///
/// A zone is the unit of everything that happens at once. Every change of one goes through its
/// head, and its version is the number of changes that were committed: there is no order between
/// two zones. Any number of threads may call at once; calls block.
///
/// Every verb throws ``RecordError`` with `unavailable` where it is worth trying again, with
/// `internalError` where it is not, with `damaged` where what is kept is not what was put, and with
/// `limitExceeded` where it is more than can be kept under one name. After `unavailable` it is not
/// known whether a batch was committed: ``outcome(of:in:)`` tells.
///
/// Names and keys sort by their bytes. A page has one entry at least, whatever its limit says.
package protocol RecordBackend: Sendable {
    /// Which of several lives that began as one this is: a restore begins another, whose zones
    /// count on from where the backup left them.
    func timeline() throws(RecordError) -> RandomIdentifier

    /// The zones of a database, in the order of their names.
    func zones(in database: Database) throws(RecordError) -> [StoredZone]
    /// Every zone of a place, of all its databases, in no order.
    func zones(of place: Place) throws(RecordError) -> [StoredZone]
    /// The zone of a name; `nil` where there is none.
    func zone(named name: String, in database: Database) throws(RecordError) -> StoredZone?
    /// Makes a zone; `false` where there is one of that name.
    func create(_ zone: StoredZone) throws(RecordError) -> Bool
    /// Puts new keys in a zone's head; `false` where its epoch is not `formerEpoch` any more, or
    /// its keys are not `formerKeys`, or it is gone.
    func rekey(
        _ zone: StoredZone, from formerKeys: [UInt8], formerEpoch: UInt32
    ) throws(RecordError) -> Bool
    /// Ends a life of a zone, with all that is in it; `false` where it has ended.
    func delete(_ zone: ZoneLife) throws(RecordError) -> Bool

    /// What stands under names, in their order; what was deleted stands there as such.
    func records(
        _ names: [String], in zone: ZoneLife
    ) throws(RecordError) -> [StoredRecord?]
    /// Commits a batch, durably.
    ///
    /// Throws `assetNotFound` where a record is to hold an asset of which there is no chunk, and
    /// `invalidArguments` where a record stands twice in the batch, or a zero byte in a name.
    func commit(_ batch: BackendBatch) throws(RecordError) -> BatchOutcome
    /// What became of a batch, as long as the backend remembers: until batches come whose time is a
    /// day later at least.
    ///
    /// - Returns: the number of its first change; `nil` where it was not committed.
    func outcome(
        of batch: RandomIdentifier, in zone: ZoneLife
    ) throws(RecordError) -> UInt64?

    /// The records that changes after `version` have made what they are, in the order of changes.
    ///
    /// - Returns: `nil` where this life of the zone has ended.
    func changes(
        in zone: ZoneLife, after version: UInt64, limit: Int
    ) throws(RecordError) -> ChangePage?
    /// The names of the records that stand in a part of an index, in its order.
    ///
    /// - Parameters:
    ///   - range: of places as ``IndexKey`` gives them.
    ///   - mark: where the last page ended; `nil` at the beginning. It need not lie in the range:
    ///     what comes behind it in the range's order is read.
    func scan(
        _ range: IndexRange, in zone: ZoneLife, after mark: [UInt8]?, limit: Int
    ) throws(RecordError) -> IndexPage
    /// Puts records in other places of indexes, and no follower sees a change. A record that has
    /// another tag by now, or is gone, stays as it is.
    func reindex(_ records: [ReindexedRecord], in zone: ZoneLife) throws(RecordError)
    /// The names of the records that name a record, by what is to become of them.
    func referrers(
        of name: String, _ action: RecordReference.Action, in zone: ZoneLife, limit: Int
    ) throws(RecordError) -> [String]

    /// What is kept of a place: its schema, as the core wrote it.
    func document(_ name: String, of place: Place) throws(RecordError) -> StoredDocument?
    /// Replaces it; `false` where its version is not `version` any more. A document that is not
    /// there has version 0.
    func replace(
        _ name: String, of place: Place, version: UInt64, with bytes: [UInt8]
    ) throws(RecordError) -> Bool

    /// Waits until something has changed, whichever process has changed it; it may end before.
    ///
    /// - Parameter commit: what the last call returned; 0 at the beginning.
    /// - Returns: what the next call is to be given; `nil` where nothing changed meanwhile.
    func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64?

    /// Keeps chunks of an asset that no record holds yet, `invalidArguments` where one does; they
    /// are durable at the latest with the batch that gives the asset to a record.
    ///
    /// `assetNotFound` where nothing is kept of the asset, and these are not its first chunks: what
    /// came before was freed. It may end before there are no more, has then kept those that it was
    /// given, and has taken one at least. Where it throws, it has kept none of them, or some of the
    /// first ones; a caller that still has them may put them again.
    ///
    /// - Parameters:
    ///   - first: which chunk of the asset the first one is; the others follow it.
    ///   - next: gives one chunk after the other, one at least, and none after the last. A chunk is
    ///     the backend's until it asks for the next one.
    func put(
        from first: UInt32, of asset: RandomIdentifier, time: Int64, _ next: () -> [UInt8]?
    ) throws(RecordError)
    /// Reads a chunk of an asset into a buffer, in place of what it has; `false` where there is
    /// none.
    ///
    /// Chunks of one length, read one after the other, need no other memory than the first.
    func readChunk(
        _ index: UInt32, of asset: RandomIdentifier, into chunk: inout [UInt8]
    ) throws(RecordError) -> Bool
    /// Frees the assets that no record holds, and of which no chunk was put at `time` or later.
    ///
    /// - Returns: how many assets it freed.
    func freeOrphans(before time: Int64) throws(RecordError) -> Int
    /// Forgets which records were deleted before `time`. A follower that comes from before is told
    /// so by ``ChangePage/forgottenVersion``.
    func forgetDeletions(before time: Int64, in zone: ZoneLife) throws(RecordError)
}

extension RecordBackend {
    /// Keeps chunks of an asset that are all there, one at least.
    package func put(
        _ chunks: [[UInt8]], from first: UInt32, of asset: RandomIdentifier, time: Int64
    ) throws(RecordError) {
        var rest = chunks[...]
        repeat {
            let index = first + UInt32(rest.startIndex)
            try put(from: index, of: asset, time: time) { rest.popFirst() }
        } while !rest.isEmpty
    }

    /// A chunk of an asset; `nil` where there is none.
    package func chunk(
        _ index: UInt32, of asset: RandomIdentifier
    ) throws(RecordError) -> [UInt8]? {
        var chunk: [UInt8] = []
        return try readChunk(index, of: asset, into: &chunk) ? chunk : nil
    }
}

/// The documents that are kept of a place.
package enum PlaceDocument {
    /// Its version is the one that batches are compared with.
    package static let schema = "schema"
}

/// A page of a zone's changes.
package struct ChangePage: Hashable, Sendable {
    package let changes: [(name: String, record: StoredRecord)]
    /// The head's version when the page was read.
    package let headVersion: UInt64
    /// Deletions up to this change are forgotten.
    package let forgottenVersion: UInt64
    /// Whether there are more.
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

/// A part of an index.
package struct IndexRange: Hashable, Sendable {
    /// The first place of it.
    package let lower: [UInt8]
    /// The first place behind it.
    package let upper: [UInt8]
    package let isDescending: Bool

    package init(_ lower: [UInt8], upTo upper: [UInt8], isDescending: Bool = false) {
        (self.lower, self.upper, self.isDescending) = (lower, upper, isDescending)
    }
}

/// A page of a part of an index.
package struct IndexPage: Hashable, Sendable {
    package let names: [String]
    /// Where the next page goes on; `nil` where nothing is left.
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
