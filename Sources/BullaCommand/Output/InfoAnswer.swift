internal import Bulla

/// The facts of a store, and the counts of those who have it open now.
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
        let lines = [
            ("store", EscapedText.forTerminal(info.path)),
            ("format", "version \(info.formatVersion)"),
            ("cipher", info.suite),
            ("page", "\(info.pageByteCount) bytes"),
            ("file", "\(info.fileIdentifier), \(Quantity.bytes(info.fileByteCount))"),
            ("history", info.historyIdentifier),
            ("commit", "\(info.commit), durable \(info.durableCommit)"),
            ("key epoch", "\(info.keyEpoch)"),
            ("trees", "\(info.treeCount)"),
            ("pages", pages),
            ("log", log),
            ("snapshots", snapshots),
            (
                "shared",
                "\(counts.commitCount) commits, \(counts.flushCount) flushes, "
                    + "\(counts.waitCount) waits since the first of those who have it open"
            ),
            ("room", room),
            ("limits", "keys \(info.keyByteLimit) bytes, values \(info.valueByteLimit) bytes"),
        ]
        return lines.map { name, text in
            name + String(repeating: " ", count: 11 - name.count) + text + "\n"
        }.joined()
    }

    /// The description of the log.
    var log: String {
        let made = Quantity.count(statistics.checkpointCount, "checkpoint")
        let last = statistics.secondsSinceCheckpoint.map { ", the last \($0) s ago" } ?? ""
        return "\(Quantity.bytes(info.log.byteCount)) of at most "
            + "\(Quantity.bytes(info.log.byteLimit)), \(Quantity.bytes(info.log.waitingByteCount))"
            + " not yet in the trees; \(made)\(last)"
    }

    private var snapshots: String {
        let oldest = info.oldestSnapshotCommit.map { ", the oldest of commit \($0)" } ?? ""
        return "\(info.snapshotCount) open\(oldest)"
    }

    private var room: String {
        let left = info.availableByteCount.map { "\(Quantity.bytes($0)) left on the disk" }
        let limit = info.fileByteLimit.map { "files of this process up to \(Quantity.bytes($0))" }
        return [left ?? "not known", limit].compactMap { $0 }.joined(separator: ", ")
    }

    private var pages: String {
        "\(info.pageCount): \(info.livePageCount) live, \(info.freePageCount) free, "
            + "\(info.pendingPageCount) waiting for readers"
    }
}
