/// A worker as its parent sees it: a process, and the pipes to talk with it.
package final class WorkerProcess {
    /// Longer than any answer takes on a machine that is worth measuring on.
    private static let answerSecondLimit = 900

    private let name: String
    private let program: String
    private var hasAnswered = false
    private let child: Child
    private let commands: Descriptor
    private let replies: LineReader

    /// Starts one of `program`; `name` is for messages.
    package init(name: String, program: String) throws {
        self.name = name
        self.program = program
        let input = try Descriptor.pipe()
        let output = try Descriptor.pipe()
        child = try Child(
            program, ["worker"], input: input.reading, output: output.writing)
        commands = input.writing
        replies = LineReader(output.reading)
    }

    package var process: Int32 { child.process }

    package func send(_ command: WorkerCommand) throws {
        guard let line = try? WorkerLine.bytes(command), (try? commands.write(line)) != nil else {
            throw try lost()
        }
    }

    /// Which of the workers can be heard first: one that has answered, or has died.
    package static func firstToAnswer(_ workers: [WorkerProcess]) throws -> Int {
        let pipes = workers.map(\.replies.descriptor)
        guard let first = try Descriptor.firstReadable(pipes, seconds: answerSecondLimit) else {
            throw BenchError(.worker, "no worker answered within \(answerSecondLimit) seconds")
        }
        return first
    }

    /// The reply to the command sent last.
    ///
    /// - Throws: what the worker failed with; ``BenchExit/worker`` where it died or does not
    ///   answer.
    package func reply() throws -> WorkerReply {
        guard let line = try replies.next(timeLimit: Self.answerSecondLimit) else {
            throw try lost()
        }
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

    private func lost() throws -> BenchError {
        try Interruption.shared.check()
        // Its pipe is closed, so it is dead or about to die: killing it changes nothing then.
        let end = child.wait()
        let doubt = if case .exited = end { doubt } else { "" }
        return BenchError(.worker, "\(name) (process \(process)) \(end)\(doubt)")
    }

    /// Any program can bear the name of one that is looked for.
    private var doubt: String {
        hasAnswered ? "" : ": is \(program) a worker?"
    }
}
