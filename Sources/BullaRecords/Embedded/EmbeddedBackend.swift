package import Bulla
internal import BullaMemory

/// Stores records in a store on this machine, which any number of processes can have open.
///
///     tree        key                                  value
///     zones       database, zone's name                ``ZoneRow``
///     records     life, record's name                  ``RecordRow``
///     feed        life, version                        record's name
///     index       life, place                          nothing
///     referrers   life, action, target, 0, record      nothing
///     deletions   life, time, version                  record's name
///     forgotten   life                                 version of the last deletion forgotten
///     batches     life, identifier                     version of its first change
///     batch feed  life, version of its first change    identifier, time
///     batch times time, life, identifier               nothing; earlier builds wrote it
///     documents   place, name                          version, bytes
///     assets      asset                                ``AssetRow``
///     orphans     time, asset                          key of the database it was uploaded for
///     chunks      asset, index                         sealed bytes
///     homes       database                             ``HomeRow``
///
/// A life is the sixteen bytes of a zone's incarnation: when a zone is deleted, all keys with this
/// prefix are deleted. Each life has a row in `forgotten`, even if it has no records, so that the
/// backend can refuse a second zone with the same life. Numbers in keys are big-endian.
package final class EmbeddedBackend: SiteBackend {
    let store: Store
    let claim: HomeClaim?

    /// - Parameter store: the records' own store, which only backends write.
    package convenience init(_ store: Store) { self.init(store, nil) }

    init(_ store: Store, _ claim: HomeClaim?) { (self.store, self.claim) = (store, claim) }

    enum TreeName: String, CaseIterable {
        case zones, records, feed, index, referrers, deletions, batches, documents, assets, orphans
        case chunks, homes
        case batchFeed = "batch feed"
        /// What earlier builds had instead of the batch feed.
        case batchTimes = "batch times"
        /// For each life, the version up to which deletions are forgotten.
        case forgotten

        /// The trees whose keys begin with lives of zones.
        static let ofLives: [TreeName] = [
            .records, .feed, .index, .referrers, .deletions, .forgotten, .batches, .batchFeed,
        ]
    }

    /// The greatest size of a row in bytes: that of the longest value that a store returns whole.
    static let rowByteLimit = 16 << 20

    /// Runs a transaction, and converts its errors.
    func write<R>(
        _ attempt: String, durability: Durability = .full,
        _ body: (inout WriteTransaction) throws -> R
    ) throws(RecordError) -> R {
        do { return try store.write(durability: durability, body) } catch {
            throw Self.refined(error, attempt)
        }
    }

    /// Runs a read; by default it sees only what is durable.
    func read<R>(
        _ attempt: String, _ visibility: SnapshotVisibility = .durable,
        _ body: (borrowing Snapshot) throws -> R
    ) throws(RecordError) -> R {
        do { return try store.read(visibility: visibility, body) } catch {
            throw Self.refined(error, attempt)
        }
    }

    package func timeline(of database: Database) throws(RecordError) -> RandomIdentifier {
        let row = try read("read the timeline of a database") { snapshot in
            try snapshot.checkHome(of: database, claim)
            return try snapshot.home(of: database)
        }
        let timeline = try siteTimeline()
        return row?.timeline(at: timeline) ?? timeline
    }

    /// The timeline of the store; a restored copy of the store begins a new timeline.
    package func siteTimeline() throws(RecordError) -> RandomIdentifier {
        let attempt = "read the timeline of the store"
        let history: [UInt8]
        do throws(BullaError) { history = try store.anchor.history } catch {
            throw Self.refined(error, attempt)
        }
        guard let timeline = RandomIdentifier(bytes: history) else {
            throw RecordError(.internalError, "\(attempt): it has \(history.count) bytes")
        }
        return timeline
    }

    /// Waits until a commit is durable.
    func wait(for commit: UInt64, _ attempt: String) throws(RecordError) {
        do throws(BullaError) { try store.waitUntilDurable(commit) } catch {
            throw Self.refined(error, attempt)
        }
    }

    package func waitForCommit(
        after commit: UInt64, timeout: Duration
    ) throws(RecordError) -> UInt64? {
        do throws(BullaError) {
            return try store.waitForCommit(after: commit, timeout: timeout)
        } catch { throw Self.refined(error, "wait for a change") }
    }

    private static func refined(_ error: any Error, _ attempt: String) -> RecordError {
        if let error = error as? RecordError { return error }
        guard let error = error as? BullaError else {
            return RecordError(.internalError, "\(attempt): \(error)")
        }
        let code: RecordError.Code =
            switch error.code {
            case .busy, .full, .readersFull, .notYetDurable, .outOfMemory, .snapshotExpired:
                .unavailable
            case .keyTooLarge, .valueTooLarge: .limitExceeded
            case .corrupted: .damaged
            default: .internalError
            }
        return RecordError(error, attempt, code)
    }
}

extension TreeReader where Self: ~Copyable {
    /// A tree of the backend; `nil` before anything is written to it.
    func tree(_ name: EmbeddedBackend.TreeName) throws(BullaError) -> Tree? {
        try treeIfPresent(named: name.rawValue)
    }

    /// A value; `nil` if the key, or its tree, does not exist.
    func value(_ key: [UInt8], in name: EmbeddedBackend.TreeName) throws(BullaError) -> [UInt8]? {
        guard let tree = try tree(name) else { return nil }
        return try value(forKey: key, in: tree)
    }

    /// The number that is the whole value of a row; `nil` if there is no such row.
    func number(_ key: [UInt8], in name: EmbeddedBackend.TreeName) throws -> UInt64? {
        guard let row = try value(key, in: name) else { return nil }
        guard row.count == 8, let number = row.sortedNumber(at: 0) else {
            throw RecordError(.damaged, "read a row of \(name.rawValue): it is malformed")
        }
        return number
    }

    /// Visits the entries of a range.
    func visit(
        _ name: EmbeddedBackend.TreeName, _ range: KeyRange, _ order: ScanOrder = .ascending,
        _ body: ([UInt8], [UInt8]) throws -> ScanStep
    ) throws {
        guard let tree = try tree(name) else { return }
        try scan(tree, range, order: order) { key, value in
            try body([UInt8](copying: key), [UInt8](copying: value))
        }
    }
}

extension EmbeddedBackend.TreeName {
    /// Refuses a row that is too large for any read to return.
    func check(_ value: [UInt8]) throws(BullaError) {
        guard value.count > EmbeddedBackend.rowByteLimit else { return }
        throw BullaError(
            .valueTooLarge,
            "keep a row of \(rawValue): it has \(value.count) bytes, the limit is "
                + "\(EmbeddedBackend.rowByteLimit)")
    }
}

extension WriteTransaction {
    mutating func put(
        _ value: [UInt8], _ key: [UInt8], in name: EmbeddedBackend.TreeName
    ) throws(BullaError) {
        try name.check(value)
        try put(value, forKey: key, in: try openOrCreateTree(named: name.rawValue))
    }

    /// Inserts an entry; returns `false` if the key exists.
    mutating func insert(
        _ value: [UInt8], _ key: [UInt8], in name: EmbeddedBackend.TreeName
    ) throws(BullaError) -> Bool {
        try insert(value, forKey: key, in: try openOrCreateTree(named: name.rawValue))
    }

    mutating func delete(
        _ key: [UInt8], in name: EmbeddedBackend.TreeName
    ) throws(BullaError) {
        guard let tree = try tree(name) else { return }
        try delete(key, in: tree)
    }

    mutating func deleteAll(
        beginningWith prefix: [UInt8], in name: EmbeddedBackend.TreeName
    ) throws(BullaError) {
        guard let tree = try tree(name) else { return }
        try deleteRange(.prefix(prefix), in: tree)
    }
}

extension [UInt8] {
    /// Appends a number, big-endian, so that keys sort as their numbers do.
    mutating func append<N: FixedWidthInteger>(sorted number: N) {
        for shift in stride(from: N.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> N(shift)))
        }
    }

    /// The big-endian number of the eight bytes at an offset; `nil` if they are not all there.
    func sortedNumber(at offset: Int) -> UInt64? {
        guard offset >= 0, offset + 8 <= count else { return nil }
        return self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
