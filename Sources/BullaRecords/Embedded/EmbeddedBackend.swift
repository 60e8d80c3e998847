package import Bulla
internal import BullaMemory

/// Keeps records in a store on this machine, which any number of processes may have open.
///
///     tree        key                                  value
///     zones       database, zone's name                ``ZoneRow``
///     records     life, record's name                  ``RecordRow``
///     feed        life, version                        record's name
///     index       life, place                          nothing
///     referrers   life, action, target, 0, record      nothing
///     deletions   life, time, version                  record's name
///     forgotten   life                                 version of the last deletion forgotten
///     batches     life, identifier                     first version, time
///     batch times time, life, identifier               nothing
///     documents   place, name                          version, bytes
///     assets      asset                                records that hold it, time
///     orphans     time, asset                          nothing
///     chunks      asset, index                         sealed bytes
///
/// A life is the sixteen bytes of a zone's incarnation: a zone that ends takes all keys that begin
/// with them along. Numbers in keys are big-endian.
package final class EmbeddedBackend: RecordBackend {
    let store: Store

    /// - Parameter store: the records' own: nobody else writes to it.
    package init(_ store: Store) { self.store = store }

    enum TreeName: String, CaseIterable {
        case zones, records, feed, index, referrers, deletions, batches, documents, assets, orphans
        case chunks
        case batchTimes = "batch times"
        /// Of each life, the version up to which deletions are forgotten.
        case forgotten
    }

    /// How many bytes a row may have: as many as the store gives back at once.
    static let rowByteLimit = 16 << 20

    /// Runs a transaction, and makes its errors the record layer's.
    func write<R>(
        _ attempt: String, durability: Durability = .full,
        _ body: (inout WriteTransaction) throws -> R
    ) throws(RecordError) -> R {
        do { return try store.write(durability: durability, body) } catch {
            throw Self.refined(error, attempt)
        }
    }

    /// Runs a read, of what is durable where nothing else is asked for.
    func read<R>(
        _ attempt: String, _ visibility: Visibility = .durable,
        _ body: (borrowing Snapshot) throws -> R
    ) throws(RecordError) -> R {
        do { return try store.read(visibility: visibility, body) } catch {
            throw Self.refined(error, attempt)
        }
    }

    /// The history of the store, which a restore forks.
    package func timeline() throws(RecordError) -> RandomIdentifier {
        let attempt = "tell the life of the store"
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
    /// A tree of the backend's; `nil` before anything was written to it.
    func tree(_ name: EmbeddedBackend.TreeName) throws(BullaError) -> Tree? {
        try treeIfPresent(named: name.rawValue)
    }

    /// A value; `nil` where the key, or its tree, is not there.
    func value(_ key: [UInt8], in name: EmbeddedBackend.TreeName) throws(BullaError) -> [UInt8]? {
        guard let tree = try tree(name) else { return nil }
        return try value(forKey: key, in: tree)
    }

    /// A number that is a row of its own; `nil` where it is not there.
    func number(_ key: [UInt8], in name: EmbeddedBackend.TreeName) throws -> UInt64? {
        guard let row = try value(key, in: name) else { return nil }
        guard row.count == 8, let number = row.sortedNumber(at: 0) else {
            throw RecordError(.damaged, "read a row of \(name.rawValue): it is cut")
        }
        return number
    }

    /// Visits what begins with a prefix, behind a key, up to an end.
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

extension WriteTransaction {
    mutating func put(
        _ value: [UInt8], _ key: [UInt8], in name: EmbeddedBackend.TreeName
    ) throws(BullaError) {
        guard value.count <= EmbeddedBackend.rowByteLimit else {
            throw BullaError(
                .valueTooLarge,
                "keep a row of \(name.rawValue): it has \(value.count) bytes, the limit is "
                    + "\(EmbeddedBackend.rowByteLimit)")
        }
        try put(value, forKey: key, in: try openOrCreateTree(named: name.rawValue))
    }

    /// Puts what is not there yet; `false` where it is.
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
    /// Appends a number, big-endian, so that keys sort as it does.
    mutating func append<N: FixedWidthInteger>(sorted number: N) {
        for shift in stride(from: N.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> N(shift)))
        }
    }

    /// A number of eight bytes, big-endian, at an offset; `nil` where it does not lie inside.
    func sortedNumber(at offset: Int) -> UInt64? {
        guard offset >= 0, offset + 8 <= count else { return nil }
        return self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
