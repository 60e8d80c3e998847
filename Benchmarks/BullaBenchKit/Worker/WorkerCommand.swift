internal import BullaText
internal import Foundation

/// A parent's command to a worker, one line of JSON on the worker's input; each has one reply.
package enum WorkerCommand: Codable, Sendable {
    case open(WorkerSetup)
    case warm
    /// Close the store, but stay alive.
    case release
    case reopen
    /// Lay out a slice and be ready to start it.
    case arm(SliceOrder)
    /// Start the slice, together with the threads of all other workers.
    case go
    /// Wait until no background work is left.
    case rest
    /// Finish the work that commits have deferred.
    case drain
    case digest
    /// Close the store, and report the sum of the slices (``SliceSum``).
    case close
    /// Commit to the store of this setup; a worker that gets this command gets no other.
    case commit(CommitterSetup)
    /// Fill a store's log, and keep the store open; a worker that gets this command gets no other.
    case fill(LogFill)
}

package enum WorkerReply: Codable, Sendable {
    case done
    /// The store is open; lists the placement that the system gave each thread.
    case opened(EngineFacts, [ObtainedPlacement])
    case ran(SliceResult)
    case holds(Digest)
    case closed(SliceSum)
    case committed(CommitCounts)
    /// The log is full, after this number of commits.
    case filled(Int)
    /// The worker ends with this status.
    case failed(exit: Int32, message: String)
}

extension WorkerReply {
    /// The answer of `body`, or its error.
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
    /// The file of the barrier at which all threads of all workers wait for a slice to start.
    package var barrierPath: String
}

package struct SliceOrder: Codable, Sendable {
    package var slice: Int
    /// How many operations each thread does: reads, scans or commits, depending on the workload.
    package var operations: Int
    /// How many threads of the whole run, counted from the first, do one more operation: the
    /// remainder after the requested operations were divided among all threads.
    package var further: Int
    /// Whether the slice counts towards the sum; slices that calibrate or begin a round do not.
    package var isCounted: Bool
}

/// The result of a slice in one thread, in one worker, or in all workers.
package struct SliceResult: Codable, Sendable {
    /// When the first thread started, by the monotonic clock.
    package var start: UInt64
    package var end: UInt64
    /// The processor time that the worker had used when the first thread started.
    package var processorStart: UInt64
    package var cpuSeconds = 0.0
    package var work: Int
    package var change: Digest

    /// Adds the result of another thread or worker, which ran at the same time.
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

/// The sum of all slices that have ``SliceOrder/isCounted``, for one worker or for all workers.
///
/// Sending a histogram takes longer than a slice, so workers send only the sum, at the end.
package struct SliceSum: Codable, Sendable {
    package var latency = Latency()
    /// The costs except processor time, which is in each ``SliceResult``.
    package var costs = Costs()
    /// How long it took, after the slices, to finish the work that commits had deferred.
    package var afterNanoseconds = 0.0

    /// Adds the sum of another worker, which ran at the same time.
    mutating func join(_ other: Self) {
        latency.merge(other.latency)
        costs.join(other.costs)
        afterNanoseconds = max(afterNanoseconds, other.afterNanoseconds)
    }
}

extension SliceResult {
    /// Merges results of threads or workers that ran at the same time; there is at least one.
    init(merging results: [SliceResult]) {
        self = results.dropFirst().reduce(into: results[0]) { $0.merge($1) }
    }
}

package final class WorkerProcess {
    /// The longest wait for an answer; on a machine worth measuring, no answer takes that long.
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

    /// Sends each worker its command, all at once, and returns their replies in the same order.
    ///
    /// Reads replies as they arrive: if a worker dies, aborts the barrier at which the others wait.
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
                    throw BenchError(.worker, "no answer within \(answerSecondLimit) seconds")
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
    /// - Throws: the worker's error; ``BenchExit/worker`` if it does not answer.
    package func reply() throws -> WorkerReply {
        let answer = try replies.next(timeLimit: Self.answerSecondLimit) { BenchError(.worker, $0) }
        guard let line = answer else { throw try lost() }
        guard let reply = try? WorkerLine.message(WorkerReply.self, from: line) else {
            throw BenchError(.worker, "\(name) gives no valid answer\(doubt)")
        }
        hasAnswered = true
        if case .failed(let status, let message) = reply {
            throw BenchError(BenchExit(rawValue: status) ?? .worker, "\(name): \(message)")
        }
        return reply
    }

    /// Waits until the worker, which was told to close, has ended.
    package func finish() throws {
        let end = child.wait()
        guard end == .exited(BenchExit.met.rawValue) else {
            throw BenchError(.worker, "\(name) (process \(process)) \(end)")
        }
    }

    /// Kills the worker, as a crash would.
    func kill() -> ChildEnd {
        child.kill()
        return child.wait()
    }

    private func lost() throws -> BenchError {
        try Interruption.shared.check()
        // The worker's pipe is closed, so the worker is dead or dying.
        let end = child.wait()
        let doubt = if case .exited = end { doubt } else { "" }
        return BenchError(.worker, "\(name) (process \(process)) \(end)\(doubt)")
    }

    /// What an error message asks if the program never answered, because it may not be a worker.
    private var doubt: String { hasAnswered ? "" : ": is \(program) a worker?" }
}
