internal import Bulla
internal import BullaText

/// Stores the records of a stream, in batches of one commit each.
///
///     what ends the load early            what stays in the store
///     a malformed record, a bad file      every earlier batch; nothing of the unfinished one
///     an interrupt                        the same
///     a crash                             the same, and perhaps the batch that was being committed
///
/// An error says how many records were stored, and how many were read but not stored.
final class LoadSession {
    /// The size of one commit.
    struct Batch: Sendable {
        /// The maximum number of records; `nil` for all records in one commit, whatever their size.
        var recordLimit: Int?
        /// How many bytes of keys and values fill a batch.
        ///
        /// This is half of what the engine, by default, buffers for a transaction before it must
        /// seal pages early.
        var byteLimit = 32 << 20
    }

    /// How many records the load reads between two checks for an interrupt; each check also updates
    /// the progress.
    private static let lookInterval: UInt64 = 256

    private let store: Store
    private let stream: RecordStream
    private let batch: Batch
    private let progress: ProgressBar
    private var treeName: [UInt8]?
    private var record = Record()
    private var isAtEnd = false
    private var pendingBytes: UInt64 = 0
    private(set) var summary = LoadSummary()

    /// - Parameter tree: the tree for the records; `nil` if the input names its trees itself.
    init(
        _ store: Store, tree: [UInt8]?, from stream: RecordStream, batch: Batch,
        progress: ProgressBar
    ) {
        self.store = store
        self.stream = stream
        self.batch = batch
        self.progress = progress
        treeName = tree
    }

    /// Loads all records.
    func run() throws {
        let clock = ContinuousClock()
        let begin = clock.now
        do {
            repeat { try commitBatch() } while !isAtEnd
        } catch {
            throw explained(error)
        }
        summary.seconds = (clock.now - begin) / .seconds(1)
    }

    /// The error, with a summary of what the load did before it failed.
    private func explained(_ error: any Error) -> any Error {
        progress.finish()
        switch error {
        case var error as CommandError:
            error.loaded = summary
            return error
        case let error as BullaError: return explained(CommandError(error))
        case var error as Interrupted:
            error.loaded = summary
            return error
        default: return error
        }
    }

    private func commitBatch() throws {
        summary.uncommitted = 0
        pendingBytes = 0
        try store.write { transaction in
            var tree = try treeName.map { name in try transaction.openOrCreateTree(named: name) }
            while !isBatchFull {
                guard try stream.read(&record) else {
                    isAtEnd = true
                    break
                }
                try take(&transaction, &tree)
            }
        }
        summary.records += summary.uncommitted
        summary.bytes += pendingBytes
        summary.commits += 1
        summary.uncommitted = 0
    }

    private var isBatchFull: Bool {
        guard let limit = batch.recordLimit else { return false }
        return summary.uncommitted >= limit || pendingBytes >= batch.byteLimit
    }

    private func take(_ transaction: inout WriteTransaction, _ tree: inout Tree?) throws {
        if summary.uncommitted.isMultiple(of: Self.lookInterval) {
            try Signals.check()
            progress.update(Int(clamping: stream.position))
        }
        do {
            if let name = record.tree {
                treeName = name
                tree = try transaction.openOrCreateTree(named: name)
            }
            guard record.hasEntry, let tree else { return }
            try put(&transaction, in: tree)
            summary.uncommitted += 1
        } catch let error as BullaError where Self.isAboutRecord(error) {
            throw CommandError(error, as: .data, at: stream.place(of: record))
        }
    }

    /// Whether the record caused the error; if so, the message must name the record's line.
    private static func isAboutRecord(_ error: BullaError) -> Bool {
        [.keyTooLarge, .valueTooLarge, .invalidArgument].contains(error.code)
    }

    private func put(_ transaction: inout WriteTransaction, in tree: Tree) throws {
        pendingBytes += UInt64(record.key.count + record.value.count)
        guard record.hasMore else {
            return try transaction.put(record.value, forKey: record.key, in: tree)
        }
        try transaction.putStream(forKey: record.key, in: tree) { write in
            try record.value.withBytes(write)
            while try stream.readMore(&record) {
                try Signals.check()
                pendingBytes += UInt64(record.value.count)
                try record.value.withBytes(write)
            }
        }
    }
}

/// What a load has done so far.
struct LoadSummary: Encodable, Sendable {
    /// Records in committed transactions.
    var records: UInt64 = 0
    /// The number of bytes in the keys and values of these records.
    var bytes: UInt64 = 0
    /// The number of transactions that the load has committed.
    var commits: UInt64 = 0
    /// Records that were read after the last commit, and are not in the store.
    var uncommitted: UInt64 = 0
    /// How long the load took in seconds; `nil` until it has succeeded.
    var seconds: Double?

    /// What a failed load leaves in the store, for the error's message.
    var aftermath: String {
        guard commits > 0 || uncommitted > 0 else { return "nothing was stored" }
        let stored = "\(Quantity.count(records, "record")) in \(Quantity.count(commits, "commit"))"
        return "stored before: \(stored); read after that and not stored: \(uncommitted)"
    }

    /// The summary of a successful load, for people.
    var text: String {
        let time = seconds.map { ", \(Quantity.decimal($0)) s" } ?? ""
        return "\(Quantity.count(records, "record")), \(Quantity.bytes(bytes)), "
            + Quantity.count(commits, "commit") + time
    }
}
