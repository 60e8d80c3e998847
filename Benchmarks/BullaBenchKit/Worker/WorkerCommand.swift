internal import BullaText
internal import Foundation

/// What a parent tells a worker: one line of JSON each, on the worker's input.
///
/// Each has one reply.
package enum WorkerCommand: Codable, Sendable {
    case open(WorkerSetup)
    case warm
    /// Close the store and forget it, but stay.
    case release
    case reopen
    /// Lay out a slice and be ready to start it.
    case arm(SliceOrder)
    /// Start it, with all other workers' threads.
    case go
    /// Wait until nothing goes on in the background.
    case rest
    /// Finish what commits have put off.
    case drain
    case digest
    /// Close the store, and tell what the slices that counted add up to.
    case close
    /// Instead of all these: commit to a store of that setup's own.
    case commit(CommitterSetup)
    /// Likewise: fill the log of a store, and keep it open.
    case fill(LogFill)
}

package enum WorkerReply: Codable, Sendable {
    case done
    /// The store is open, and the threads are where they could be.
    case opened(EngineFacts, [ObtainedPlacement])
    case ran(SliceResult)
    case holds(Digest)
    case closed(SliceSum)
    case committed(CommitCounts)
    /// The log is full, after so many commits.
    case filled(Int)
    /// The worker ends, with the status that this names.
    case failed(exit: Int32, message: String)
}

extension WorkerReply {
    /// What `body` answers, or how it failed.
    static func of(_ body: () throws -> WorkerReply) -> WorkerReply {
        do {
            return try body()
        } catch let error as BenchError {
            return .failed(exit: error.exit.rawValue, message: error.message)
        } catch {
            return .failed(exit: BenchExit.store.rawValue, message: "\(error)")
        }
    }
}

enum WorkerLine {
    static func bytes(_ message: some Encodable) throws -> [UInt8] {
        try JSONEncoder().encode(message) + [UInt8(ascii: "\n")]
    }

    static func message<Message: Decodable>(
        _ type: Message.Type, from line: [UInt8]
    ) throws -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw BenchError(.worker, "a line of the worker's protocol is not understood")
        }
    }
}

package struct WorkerSetup: Codable, Sendable {
    package var engine: EngineSetup
    package var recordsPath: String
    package var plans: [WorkloadPlan]
    package var places: [ThreadPlacement]
    /// Where all threads of all workers wait for the start of a slice.
    package var barrierPath: String
}

package struct SliceOrder: Codable, Sendable {
    package var slice: Int
    /// For each thread, in the workload's own measure: reads, scans, commits.
    package var operations: Int
    /// So many threads of the whole run, from its first, do one more: what a number of operations
    /// that was asked for leaves over.
    package var further: Int
    /// Whether it counts in the sum: a pilot does not.
    package var isCounted: Bool
}

/// What a slice did, in one thread, one worker or all of them.
package struct SliceResult: Codable, Sendable {
    /// When the first thread started, by the monotonic clock.
    package var start: UInt64
    package var end: UInt64
    /// The processor time that the worker had used when the first thread started.
    package var processorStart: UInt64
    package var cpuSeconds = 0.0
    package var work: Int
    package var change: Digest

    /// Takes in what another thread or worker did at the same time.
    package mutating func merge(_ other: Self) {
        start = min(start, other.start)
        end = max(end, other.end)
        processorStart = min(processorStart, other.processorStart)
        work += other.work
        change = change + other.change
        cpuSeconds += other.cpuSeconds
    }

    package var nanoseconds: Double { Double(end - start) }
}

/// What the slices that counted add up to, of one worker or all of them.
///
/// To hand over a histogram takes longer than a slice, so it is done once.
package struct SliceSum: Codable, Sendable {
    package var latency = Latency()
    /// But for processor time, which each slice tells.
    package var costs = Costs()
    /// What it took after the slices to finish what commits had put off.
    package var afterNanoseconds = 0.0

    /// Takes in what another worker did at the same time.
    mutating func join(_ other: Self) {
        latency.merge(other.latency)
        costs.join(other.costs)
        afterNanoseconds = max(afterNanoseconds, other.afterNanoseconds)
    }
}

extension SliceResult {
    /// What threads or workers did at the same time; there is one at least.
    init(merging results: [SliceResult]) {
        self = results.dropFirst().reduce(into: results[0]) { $0.merge($1) }
    }
}

package final class WorkerProcess {
    /// Longer than any answer takes on a machine that is worth measuring on.
    private static let answerSecondLimit = 1_200

    private let name: String
    private let program: String
    private var hasAnswered = false
    private let child: Child
    private let commands: Descriptor
    private let replies: LineReader<BenchError>

    package init(name: String, program: String) throws {
        (self.name, self.program) = (name, program)
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        child = try Child(program, ["worker"], input: input.reading, output: output.writing)
        commands = input.writing
        replies = LineReader(output.reading)
    }

    package var process: Int32 { child.process }

    package func send(_ command: WorkerCommand) throws {
        guard let line = try? WorkerLine.bytes(command), (try? commands.write(line)) != nil else {
            throw try lost()
        }
    }

    /// Tells all workers at once, each by its place, and gives their replies in this order.
    ///
    /// The first answer is heard first: a worker that has died must be seen though the others wait
    /// for it at the barrier, from which they are then let go.
    package static func ask(
        _ workers: [WorkerProcess], at barrier: StartBarrier, _ command: (Int) -> WorkerCommand
    ) throws -> [WorkerReply] {
        do {
            for (place, worker) in workers.enumerated() { try worker.send(command(place)) }
            var replies = [WorkerReply](repeating: .done, count: workers.count)
            var silent = Array(workers.indices)
            while !silent.isEmpty {
                let pipes = silent.map { workers[$0].replies.descriptor }
                guard let first = try Descriptor.firstReadable(pipes, seconds: answerSecondLimit)
                else {
                    throw BenchError(.worker, "no worker answers for \(answerSecondLimit) seconds")
                }
                let place = silent.remove(at: first)
                replies[place] = try workers[place].reply()
            }
            return replies
        } catch {
            barrier.abort()
            throw error
        }
    }

    /// The reply to the command sent last.
    ///
    /// - Throws: what the worker failed with; ``BenchExit/worker`` where it does not answer.
    package func reply() throws -> WorkerReply {
        let answer = try replies.next(timeLimit: Self.answerSecondLimit) { BenchError(.worker, $0) }
        guard let line = answer else { throw try lost() }
        guard let reply = try? WorkerLine.message(WorkerReply.self, from: line) else {
            throw BenchError(.worker, "\(name) gives no answer that is understood\(doubt)")
        }
        hasAnswered = true
        if case .failed(let status, let message) = reply {
            throw BenchError(BenchExit(rawValue: status) ?? .worker, "\(name): \(message)")
        }
        return reply
    }

    /// Waits for its end, which it has been told to come to.
    package func finish() throws {
        let end = child.wait()
        guard end == .exited(BenchExit.met.rawValue) else {
            throw BenchError(.worker, "\(name) (process \(process)) \(end)")
        }
    }

    /// Ends the worker as a crash of it would.
    func kill() -> ChildEnd {
        child.kill()
        return child.wait()
    }

    private func lost() throws -> BenchError {
        try Interruption.shared.check()
        // Its pipe is closed, so it is dead or about to die: killing it changes nothing then.
        let end = child.wait()
        let doubt = if case .exited = end { doubt } else { "" }
        return BenchError(.worker, "\(name) (process \(process)) \(end)\(doubt)")
    }

    /// Any program can bear the name of one that is looked for.
    private var doubt: String { hasAnswered ? "" : ": is \(program) a worker?" }
}
