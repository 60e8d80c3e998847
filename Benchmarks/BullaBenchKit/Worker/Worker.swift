internal import Glibc

/// The process that measures: it obeys the lines on its input.
///
/// `bulla-bench worker` is one, and so is each program that puts another engine beside Bulla.
///
/// The main thread does nothing but read, so that it sees at once when the parent is gone, and ends
/// the process then, whatever its threads are doing: no orphan goes on measuring.
public final class Worker: Sendable {
    /// Opens the store that a setup names, or makes it where there is none yet.
    public typealias Open = @Sendable (EngineSetup) throws -> any Engine

    private let commands = Mailbox<WorkerCommand>()
    private let open: Open

    /// A worker whose stores `open` opens.
    public init(_ open: @escaping Open) {
        self.open = open
    }

    /// Obeys until told to close, and does not return.
    public func run() -> Never {
        let reader = LineReader(Descriptor(number: STDIN_FILENO))
        do {
            try Thread.start { [self] in serve() }
            while let line = try reader.next() {
                commands.put(try WorkerLine.message(WorkerCommand.self, from: line))
            }
        } catch {
            Self.fail(.failed(exit: BenchExit.worker.rawValue, message: "\(error)"))
        }
        exit(BenchExit.orphaned.rawValue)
    }

    /// The thread that carries out one command after the other.
    private func serve() {
        var session: WorkerSession?
        while true {
            let command = commands.take()
            let reply = WorkerReply.of { try answer(command, &session) }
            if case .failed = reply { Self.fail(reply) }
            Self.send(reply)
            if case .close = command { exit(BenchExit.met.rawValue) }
        }
    }

    private func answer(
        _ command: WorkerCommand, _ session: inout WorkerSession?
    ) throws -> WorkerReply {
        if case .open(let setup) = command {
            let opened = try WorkerSession(setup, open)
            session = opened
            return .opened(try opened.facts(), opened.places)
        }
        guard let session else { throw BenchError(.worker, "the store is not open") }
        return try session.answer(command)
    }

    private static func send(_ reply: WorkerReply) {
        guard let line = try? WorkerLine.bytes(reply),
            (try? Descriptor.standardOutput.write(line)) != nil
        else { exit(BenchExit.orphaned.rawValue) }
    }

    private static func fail(_ reply: WorkerReply) -> Never {
        send(reply)
        guard case .failed(let status, _) = reply else { exit(BenchExit.worker.rawValue) }
        exit(status)
    }
}

extension Descriptor {
    static let standardOutput = Descriptor(number: STDOUT_FILENO)
}
