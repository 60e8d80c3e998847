internal import BullaText

/// Compares the rate of commits by several processes and threads with that of a single writer.
///
/// In a round, each contender in turn commits in each ``CommitShape``, on the same disk. A ratio
/// compares two shapes within a round.
package struct CommitRun {
    package var contenders: [CommitContender]
    /// The shapes to measure, in addition to one thread of one process.
    package var shapes: [CommitShape]
    package var roundCount: Int
    package var measuredNanoseconds: UInt64
    package var isEncrypted: Bool
    package var durability = BenchDurability.full
    package var directory: String
    /// The program that each worker of the run executes.
    package var program: String

    package init(program: String, directory: String) {
        contenders = [.write, .groupWrite] + [0, 40, 80, 120].map { .bare(holdMicroseconds: $0) }
        shapes = [4, 16].map { CommitShape(processCount: 4, threadCount: $0 / 4) }
        roundCount = 5
        measuredNanoseconds = 2_000_000_000
        isEncrypted = true
        (self.directory, self.program) = (directory, program)
    }

    package func result(_ tell: (String) -> Void) throws -> CommitResult {
        let scratch = try Scratch(under: directory, isKept: false)
        let key = isEncrypted ? try RunKey.random() : nil
        try CommitStage.prepare(scratch.path, key: key)
        let start = MachineLoad.now()
        var result = CommitResult(self)
        for round in 0..<roundCount {
            for contender in contenders {
                tell("round \(round + 1) of \(roundCount): \(contender)")
                for shape in [.one] + shapes {
                    let crew = CommitCrew(
                        run: self, contender: contender, shape: shape, scratch: scratch, key: key)
                    result.add(try crew.sample(UInt64(round)), contender, shape)
                    try Interruption.shared.check()
                }
            }
        }
        result.noise = MachineNoise(from: start, to: .now())
        return result
    }
}

package enum CommitContender: Codable, Hashable, Sendable, CustomStringConvertible {
    /// `Store.write`: each transaction is a commit.
    case write
    /// `Store.groupWrite`: the threads of a process share commits.
    case groupWrite
    /// No store: each commit holds a lock for this time, then waits for a flush (``BareCommits``).
    case bare(holdMicroseconds: Int)

    package var description: String {
        switch self {
        case .write: "write"
        case .groupWrite: "groupWrite"
        case .bare(let hold): "bare, \(hold) us"
        }
    }

    /// The contender whose single writer is the base of this contender's ratios.
    var base: CommitContender { self == .groupWrite ? .write : self }
}

/// How many processes commit at once, and how many threads in each.
package struct CommitShape: Codable, Hashable, Sendable, LosslessStringConvertible {
    package var processCount: Int
    package var threadCount: Int

    package init(processCount: Int, threadCount: Int) {
        (self.processCount, self.threadCount) = (processCount, threadCount)
    }

    /// Parses a shape such as `4x2`, four processes of two threads; nil for any other text.
    package init?(_ text: String) {
        let counts = text.filter { $0 != " " }.split(separator: "x").map { Int($0) ?? 0 }
        guard counts.count == 2, counts.allSatisfy((1...64).contains) else { return nil }
        self.init(processCount: counts[0], threadCount: counts[1])
    }

    package static let one = CommitShape(processCount: 1, threadCount: 1)

    package var description: String { "\(processCount) x \(threadCount)" }
}

struct CommitCrew {
    let run: CommitRun
    let contender: CommitContender
    let shape: CommitShape
    let scratch: Scratch
    let key: String?

    func sample(_ round: UInt64) throws -> CommitSample {
        let observer = try CommitStage.committer(contender, scratch.path, key: key, .full)
        let flushesBefore = try observer.flushCount()
        let counts = try commit(round)
        let flushes = try observer.flushCount() - flushesBefore
        return CommitSample(
            perSecond: Double(counts.measured) / (Double(run.measuredNanoseconds) / 1e9),
            flushesPerCommit: Double(flushes) / Double(max(counts.all, 1)))
    }

    func commit(_ round: UInt64) throws -> CommitCounts {
        let path = scratch.file("barrier \(round) \(contender) \(shape)")
        let barrier = try StartBarrier(
            creating: path, count: shape.processCount * shape.threadCount)
        let crew = try (1...shape.processCount).map {
            try WorkerProcess(
                name: "process \($0) of \(shape.processCount)", program: run.program)
        }
        let replies = try WorkerProcess.ask(crew, at: barrier) { number in
            .commit(
                CommitterSetup(
                    contender: contender, folder: scratch.path, key: key,
                    durability: run.durability,
                    threadCount: shape.threadCount, barrier: path,
                    seed: round << 32 | UInt64(number),
                    warmUpNanoseconds: run.measuredNanoseconds / 2,
                    measuredNanoseconds: run.measuredNanoseconds))
        }
        return try replies.reduce(CommitCounts()) { sum, reply in
            if case .committed(let counts) = reply { return sum + counts }
            throw BenchError(.worker, "a worker answered something other than its commits")
        }
    }
}

enum CommitStage {
    static func prepare(_ folder: String, key: String?) throws {
        try StoreCommitter.prepare(store(folder), key: try RunKey.bytes(key, of: folder))
        try BareFile.prepare(folder)
    }

    static func committer(
        _ contender: CommitContender, _ folder: String, key: String?, _ durability: BenchDurability
    ) throws -> any Committer {
        switch contender {
        case .write, .groupWrite:
            try StoreCommitter(
                store(folder), key: try RunKey.bytes(key, of: folder),
                durability, isGrouped: contender == .groupWrite)
        case .bare(let hold): try BareCommits(folder, holdMicroseconds: hold)
        }
    }

    static func store(_ folder: String) -> String { folder + "/store.bulla" }
}

package struct CommitSample: Codable, Sendable {
    package let perSecond: Double
    package let flushesPerCommit: Double
}

package struct CommitResult: Codable, Sendable {
    package struct Row: Codable, Sendable {
        package let contender: CommitContender
        package let shape: CommitShape
        package fileprivate(set) var samples: [CommitSample]
    }

    package let isEncrypted: Bool
    package let durability: BenchDurability?
    package private(set) var rows: [Row] = []
    package var noise: MachineNoise?

    init(_ run: CommitRun) { (isEncrypted, durability) = (run.isEncrypted, run.durability) }

    mutating func add(_ sample: CommitSample, _ contender: CommitContender, _ shape: CommitShape) {
        let isRow = { (row: Row) in row.contender == contender && row.shape == shape }
        if let index = rows.firstIndex(where: isRow) {
            rows[index].samples.append(sample)
        } else {
            rows.append(Row(contender: contender, shape: shape, samples: [sample]))
        }
    }

    /// A row's rates of commits, as ratios to the single writer's in the same round, ascending;
    /// rounds in which the single writer made no measured commit are left out.
    package func ratios(_ row: Row) -> [Double] {
        let base = rows.first { $0.contender == row.contender.base && $0.shape == .one }
        return zip(row.samples, base?.samples ?? []).filter { $1.perSecond > 0 }
            .map { $0.perSecond / $1.perSecond }.sorted()
    }

    package var lines: [String] {
        var table = TextTable(
            header: ["", "writers", "commits/s", "x one", "from", "to", "flushes/commit"],
            leftColumnCount: 2)
        for row in rows { table.append(cells(row)) }
        let kind = durability == .relaxed ? "relaxed" : "durable"
        let title = "\(kind) commits, the store \(isEncrypted ? "encrypted" : "plain"):"
        return [title] + table.lines + (noise?.warning.map { [$0] } ?? [])
    }

    private func cells(_ row: Row) -> [String] {
        let ratios = ratios(row)
        let rate = row.samples.map(\.perSecond).median ?? 0
        let flushes = row.samples.map(\.flushesPerCommit).median ?? 0
        let shown = [ratios.median, ratios.first, ratios.last]
        return ["\(row.contender)", "\(row.shape)", Format.count(rate)]
            + shown.map { $0.map { Format.fixed($0, 2) } ?? "-" } + [Format.fixed(flushes, 3)]
    }
}
