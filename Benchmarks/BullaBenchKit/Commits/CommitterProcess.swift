internal import Dispatch
internal import Glibc
internal import Synchronization

/// What a process is told that has to commit.
struct CommitterSetup: Codable {
    var contender: CommitContender
    /// A folder that ``CommitStage`` has prepared.
    var folder: String
    /// In hexadecimal digits; nil: plain.
    var key: String?
    var threadCount: Int
    /// Path of a ``StartBarrier`` for all threads of all processes.
    var barrier: String
    /// Decides, with the thread's number, what is drawn.
    var seed: UInt64
    /// Commits in this time are made, but not measured.
    var warmUpNanoseconds: UInt64
    var measuredNanoseconds: UInt64
}

/// What it answers.
enum CommitterReply: Codable {
    /// Transactions in the measured time, and all.
    case committed(measured: Int, all: Int)
    case failed(exit: Int32, message: String)
}

/// A process that commits from all its threads until its time is over, and tells how often.
package enum CommitterProcess {
    /// Reads a setup from the input, writes a reply to the output, and does not return.
    package static func run() -> Never {
        let reply: CommitterReply
        do { reply = try CommitterRun(try setup()).reply() } catch {
            let exit = (error as? BenchError)?.exit ?? .store
            reply = .failed(exit: exit.rawValue, message: "\(error)")
        }
        guard let line = try? WorkerLine.bytes(reply),
            (try? Descriptor.standardOutput.write(line)) != nil
        else { exit(BenchExit.orphaned.rawValue) }
        exit(BenchExit.met.rawValue)
    }

    private static func setup() throws -> CommitterSetup {
        let reader = LineReader(Descriptor(number: STDIN_FILENO))
        guard let line = try reader.next() else {
            throw BenchError(.worker, "a committer is told nothing")
        }
        return try WorkerLine.message(CommitterSetup.self, from: line)
    }
}

/// One run of a committing process.
private final class CommitterRun: Sendable {
    private struct Outcome {
        var measured = 0
        var all = 0
        var failure: (any Error)?
    }

    private let setup: CommitterSetup
    private let committer: any Committer
    private let barrier: StartBarrier
    private let outcome = Mutex(Outcome())

    init(_ setup: CommitterSetup) throws {
        self.setup = setup
        committer = try CommitStage.committer(setup.contender, setup.folder, key: setup.key)
        try committer.warmUp()
        barrier = try StartBarrier(opening: setup.barrier)
    }

    func reply() throws -> CommitterReply {
        let threads = DispatchGroup()
        for number in 0..<setup.threadCount {
            threads.enter()
            try Thread.start { [self] in
                commit(as: number)
                threads.leave()
            }
        }
        threads.wait()
        return try outcome.withLock { outcome in
            if let failure = outcome.failure { throw failure }
            return .committed(measured: outcome.measured, all: outcome.all)
        }
    }

    private func commit(as thread: Int) {
        do {
            let (measured, all) = try counts(thread)
            outcome.withLock { outcome in
                outcome.measured += measured
                outcome.all += all
            }
        } catch {
            outcome.withLock { $0.failure = error }
        }
    }

    private func counts(_ thread: Int) throws -> (measured: Int, all: Int) {
        var random = Random(setup.seed, UInt64(thread))
        let start = try barrier.arrive() + setup.warmUpNanoseconds
        let end = start + setup.measuredNanoseconds
        var counts = (measured: 0, all: 0)
        // Once at least, however late this thread gets its turn: of no commit, no flushes are told.
        repeat {
            try committer.commit(&random)
            let now = Clock.now
            counts.all += 1
            if now >= start, now < end { counts.measured += 1 }
        } while Clock.now < end
        return counts
    }
}
