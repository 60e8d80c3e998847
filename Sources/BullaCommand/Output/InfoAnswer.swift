internal import Bulla

/// Facts about a store, and counts of what its processes have done since the first of them opened
/// it.
struct InfoAnswer: Encodable {
    let info: StoreInfo
    let statistics: StoreStatistics

    init(_ opened: Store) throws(BullaError) {
        info = try opened.info
        statistics = try opened.statistics
    }

    private enum Key: String, CodingKey {
        case statistics
    }

    func encode(to encoder: any Encoder) throws {
        try info.encode(to: encoder)
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(statistics, forKey: .statistics)
    }

    /// The answer as text for people.
    var text: String {
        let counts = statistics
        var lines = [
            ("store", EscapedText.forTerminal(info.path)),
            ("format", "version \(info.formatVersion)"),
            ("cipher", info.suite?.description ?? "plain"),
            ("page", "\(info.pageByteCount) bytes"),
            ("file", "\(info.fileIdentifier), \(Quantity.bytes(info.fileByteCount))"),
            ("history", info.historyIdentifier),
            ("commit", "\(info.commit), durable \(info.durableCommit)"),
            ("key epoch", "\(info.keyEpoch)"),
            ("trees", "\(info.treeCount)"),
            ("pages", pages),
            ("log", log),
            ("snapshots", snapshots),
            ("writer", writer),
            (
                "shared",
                "\(counts.commitCount) commits, \(counts.flushCount) flushes, "
                    + "\(counts.flushWaitCount) waits since a process first opened it"
            ),
            ("room", room),
            ("limits", "keys \(info.keyByteLimit) bytes, values \(info.valueByteLimit) bytes"),
        ]
        if let poison { lines.append(("POISONED", poison)) }
        return Self.columns(lines).map { $0 + "\n" }.joined()
    }

    /// One line for each pair: the name in the first column, the text in the second.
    static func columns(_ lines: [(String, String)]) -> [String] {
        lines.map { name, text in
            name + String(repeating: " ", count: 11 - name.count) + text
        }
    }

    /// The description of the log.
    var log: String {
        let made = Quantity.count(statistics.checkpointCount, "checkpoint")
        let last = statistics.secondsSinceCheckpoint.map { ", the last \($0) s ago" } ?? ""
        return "\(logBytes); \(made)\(last)"
    }

    /// How long the log is, and how much of it waits for a checkpoint.
    var logBytes: String {
        "\(Quantity.bytes(info.log.byteCount)) of at most "
            + "\(Quantity.bytes(info.log.byteLimit)), \(Quantity.bytes(info.log.unmergedByteCount))"
            + " not yet in the trees"
    }

    /// By how many commits the newest checkpoint is ahead of the checkpoint that the oldest
    /// snapshot reads.
    var oldestSnapshotLag: UInt64? {
        let newest = info.checkpointCommit
        return info.oldestSnapshotCommit.map { newest > $0 ? newest - $0 : 0 }
    }

    var snapshots: String {
        guard let oldest = info.oldestSnapshotCommit, let lag = oldestSnapshotLag else {
            return "\(info.snapshotCount) open"
        }
        return "\(info.snapshotCount) open, the oldest of commit \(oldest), "
            + "\(lag) behind the last checkpoint"
    }

    var writer: String { info.writerProcess.map { "process \($0)" } ?? "none now" }

    /// What the user must do if a flush has failed; `nil` if none has.
    var poison: String? {
        info.isPoisoned ? "a flush failed; look at the disk, close the store everywhere" : nil
    }

    var room: String {
        let left = info.availableByteCount.map { "\(Quantity.bytes($0)) left on the disk" }
        let limit = info.fileByteLimit.map { "files of this process up to \(Quantity.bytes($0))" }
        return [left ?? "not known", limit].compactMap { $0 }.joined(separator: ", ")
    }

    var pages: String {
        "\(info.pageCount): \(info.livePageCount) live, \(info.freePageCount) free, "
            + "\(info.pendingPageCount) waiting"
    }
}
