internal import Bulla
internal import BullaText
internal import FoundationEssentials

/// Facts about a running store at one moment, and how fast its counts have grown.
struct StoreSample {
    /// How much each count has grown per second since the previous sample.
    struct Rates {
        let commits: Double
        let flushes: Double
        let flushWaits: Double
        let checkpoints: Double
    }

    let answer: InfoAnswer
    /// `nil` for the first sample, because there is no earlier one to compare it with.
    let rates: Rates?
    private let date: Date
    private let instant: ContinuousClock.Instant

    init(_ opened: Store, after former: StoreSample?) throws(BullaError) {
        let answer = try InfoAnswer(opened)
        let instant = ContinuousClock.now
        rates = former.flatMap { former in
            Rates(
                from: former.answer.statistics, to: answer.statistics,
                within: instant - former.instant)
        }
        (self.answer, self.instant, date) = (answer, instant, Date())
    }

    private var timestamp: String { Date.ISO8601FormatStyle().format(date) }
}

extension StoreSample.Rates {
    fileprivate init?(
        from former: StoreStatistics, to latter: StoreStatistics, within time: Duration
    ) {
        func rate(_ count: KeyPath<StoreStatistics, Int>) -> Double? {
            CountRate.perSecond(
                from: former[keyPath: count], to: latter[keyPath: count], within: time)
        }
        guard let commits = rate(\.commitCount), let flushes = rate(\.flushCount),
            let flushWaits = rate(\.flushWaitCount), let checkpoints = rate(\.checkpointCount)
        else { return nil }
        self.init(
            commits: commits, flushes: flushes, flushWaits: flushWaits, checkpoints: checkpoints)
    }

    fileprivate var text: String {
        "\(Quantity.decimal(commits)) commits, \(Quantity.decimal(flushes)) flushes, "
            + "\(Quantity.decimal(flushWaits)) waits, \(Quantity.decimal(checkpoints)) checkpoints"
    }
}

/// The sample for people.
extension StoreSample {
    /// The lines that a terminal shows in place of the previous sample's lines.
    var lines: [String] {
        let (info, statistics) = (answer.info, answer.statistics)
        var lines = [
            ("store", EscapedText.forTerminal(info.path)),
            ("commit", "\(info.commit), durable \(info.durableCommit)"),
            ("per second", rates?.text ?? "-"),
            ("file", Quantity.bytes(info.fileByteCount)),
            ("pages", answer.pages),
            ("log", answer.logBytes),
            ("checkpoint", statistics.secondsSinceCheckpoint.map { "\($0) s ago" } ?? "none yet"),
            ("snapshots", answer.snapshots),
            ("writer", answer.writer),
            ("room", answer.room),
        ]
        if let poison = answer.poison { lines.append(("POISONED", poison)) }
        return InfoAnswer.columns(lines)
    }

    /// One line for a pipe or a file.
    var line: String {
        let info = answer.info
        var parts = [
            "\(timestamp) commit \(info.commit)", "durable \(info.durableCommit)",
            "per second: " + (rates?.text ?? "-"),
            "log " + Quantity.bytes(info.log.unmergedByteCount) + " not yet in the trees",
            "file " + Quantity.bytes(info.fileByteCount),
            Quantity.count(info.pendingPageCount, "page") + " waiting",
            "snapshots " + answer.snapshots, "writer " + answer.writer,
        ]
        if let poison = answer.poison { parts.append("POISONED: " + poison) }
        return parts.joined(separator: "; ") + "\n"
    }
}

/// The sample for programs: every line has all the members, with `null` for an unknown value.
extension StoreSample: Encodable {
    private enum Name: String, CodingKey {
        case time
        case commit, durableCommit, checkpointCommit
        case commitsPerSecond, flushesPerSecond, flushWaitsPerSecond, checkpointsPerSecond
        case secondsSinceCheckpoint
        case fileByteCount, pageCount, livePageCount, freePageCount, pendingPageCount
        case logByteCount, logByteLimit, logUnmergedByteCount
        case snapshotCount, oldestSnapshotCommit, oldestSnapshotLag
        case writerProcess, isPoisoned, sharing
        case availableByteCount, fileByteLimit
    }

    func encode(to encoder: any Encoder) throws {
        let (info, statistics) = (answer.info, answer.statistics)
        var members = encoder.container(keyedBy: Name.self)
        try members.encode(timestamp, forKey: .time)
        try members.encode(info.commit, forKey: .commit)
        try members.encode(info.durableCommit, forKey: .durableCommit)
        try members.encode(info.checkpointCommit, forKey: .checkpointCommit)
        try members.encode(rates?.commits, forKey: .commitsPerSecond)
        try members.encode(rates?.flushes, forKey: .flushesPerSecond)
        try members.encode(rates?.flushWaits, forKey: .flushWaitsPerSecond)
        try members.encode(rates?.checkpoints, forKey: .checkpointsPerSecond)
        try members.encode(statistics.secondsSinceCheckpoint, forKey: .secondsSinceCheckpoint)
        try members.encode(info.fileByteCount, forKey: .fileByteCount)
        try members.encode(info.pageCount, forKey: .pageCount)
        try members.encode(info.livePageCount, forKey: .livePageCount)
        try members.encode(info.freePageCount, forKey: .freePageCount)
        try members.encode(info.pendingPageCount, forKey: .pendingPageCount)
        try members.encode(info.log.byteCount, forKey: .logByteCount)
        try members.encode(info.log.byteLimit, forKey: .logByteLimit)
        try members.encode(info.log.unmergedByteCount, forKey: .logUnmergedByteCount)
        try members.encode(info.snapshotCount, forKey: .snapshotCount)
        try members.encode(info.oldestSnapshotCommit, forKey: .oldestSnapshotCommit)
        try members.encode(answer.oldestSnapshotLag, forKey: .oldestSnapshotLag)
        try members.encode(info.writerProcess, forKey: .writerProcess)
        try members.encode(info.isPoisoned, forKey: .isPoisoned)
        try members.encode(info.sharing, forKey: .sharing)
        try members.encode(info.availableByteCount, forKey: .availableByteCount)
        try members.encode(info.fileByteLimit, forKey: .fileByteLimit)
    }
}
