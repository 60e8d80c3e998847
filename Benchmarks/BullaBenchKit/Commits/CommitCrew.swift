/// The processes that commit at the same time.
struct CommitCrew {
    /// Longer than any of them takes to begin and to end.
    private static let idleSecondLimit = 120

    private let run: CommitRun
    private let contender: CommitContender
    private let shape: CommitShape
    private let scratch: Scratch
    private let key: String?

    init(
        _ run: CommitRun, _ contender: CommitContender, _ shape: CommitShape, _ scratch: Scratch,
        key: String?
    ) {
        self.run = run
        self.contender = contender
        self.shape = shape
        self.scratch = scratch
        self.key = key
    }

    func sample(_ round: UInt64) throws -> CommitSample {
        let observer = try CommitStage.committer(contender, scratch.path, key: key)
        let flushesBefore = try observer.flushCount()
        let counts = try commit(round)
        let flushes = try observer.flushCount() - flushesBefore
        return CommitSample(
            perSecond: Double(counts.measured) / (Double(run.measuredNanoseconds) / 1e9),
            flushesPerCommit: Double(flushes) / Double(max(counts.all, 1)))
    }

    private func commit(_ round: UInt64) throws -> (measured: Int, all: Int) {
        let path = scratch.file("barrier \(round) \(contender) \(shape)")
        // Where a member fails, the others wait there until they are killed, as they go away.
        _ = try StartBarrier(creating: path, count: shape.processCount * shape.threadCount)
        let crew = try (0..<shape.processCount).map { number in
            try start(path, seed: round << 32 | UInt64(number))
        }
        let secondLimit = Self.idleSecondLimit + Int(run.measuredNanoseconds / 500_000_000)
        var counts = (measured: 0, all: 0)
        for member in crew {
            let (measured, all) = try member.counts(secondLimit)
            counts.measured += measured
            counts.all += all
        }
        return counts
    }

    private func start(_ barrier: String, seed: UInt64) throws -> CommitCrewMember {
        try CommitCrewMember(
            run.program, run.argument,
            CommitterSetup(
                contender: contender, folder: scratch.path, key: key,
                threadCount: shape.threadCount, barrier: barrier, seed: seed,
                warmUpNanoseconds: run.measuredNanoseconds / 2,
                measuredNanoseconds: run.measuredNanoseconds))
    }
}

/// One of them, as its parent sees it; killed when it goes away.
private final class CommitCrewMember {
    private let child: Child
    private let replies: LineReader

    init(_ program: String, _ argument: String, _ setup: CommitterSetup) throws {
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        child = try Child(program, [argument], input: input.reading, output: output.writing)
        replies = LineReader(output.reading)
        try input.writing.write(try WorkerLine.bytes(setup))
    }

    /// Waits for its answer.
    func counts(_ secondLimit: Int) throws -> (measured: Int, all: Int) {
        guard let line = try replies.next(timeLimit: secondLimit) else {
            try Interruption.shared.check()
            throw BenchError(.worker, "a committing process \(child.wait())")
        }
        switch try WorkerLine.message(CommitterReply.self, from: line) {
        case .committed(let measured, let all): return (measured, all)
        case .failed(let status, let message):
            throw BenchError(BenchExit(rawValue: status) ?? .worker, message)
        }
    }
}
