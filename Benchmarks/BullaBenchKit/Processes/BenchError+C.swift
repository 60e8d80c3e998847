package import BullaText
internal import Glibc

/// Why a run ended early, in a form for scripts and one for people.
public struct BenchError: Error, CustomStringConvertible, Sendable {
    /// The exit status of the process.
    public let exit: BenchExit
    /// The text for people.
    public let message: String

    /// An error that ends the process with `exit`.
    public init(_ exit: BenchExit, _ message: String) {
        (self.exit, self.message) = (exit, message)
    }

    /// The system refused `attempt`, for the reason that `errno` names.
    package init(system attempt: String) { self.init(system: attempt, code: errno) }

    /// The message.
    public var description: String { message }
}

package typealias Descriptor = FileDescriptor<BenchError>

extension BenchError: SystemFailure {
    package init(system attempt: String, code: Int32) {
        self.init(.system, "\(attempt): \(SystemMessage.text(code))")
    }

    package init(input message: String) { self.init(.input, message) }

    package static func writing(to name: String, code: Int32) -> any Error {
        BenchError(system: "write to \(name)", code: code)
    }
}

/// The exit status of `bulla-bench` and its workers, so that scripts need not parse messages.
public enum BenchExit: Int32, Sendable {
    /// For a run: every row met its target; for a worker: it ended on command.
    case met = 0
    case missed = 1
    case undecided = 2
    /// An option makes no sense; ArgumentParser uses the same status.
    case usage = 64
    /// An input file cannot be read or understood.
    case input = 65
    /// A store threw an error.
    case store = 70
    /// A worker died, or did not answer.
    case worker = 71
    /// A store holds wrong records, so no measurement counts.
    case digest = 72
    /// The system refused something: space, memory, processes.
    case system = 74
    /// The worker's parent process has ended.
    case orphaned = 75
    /// SIGINT, SIGTERM or SIGHUP arrived.
    case interrupted = 130
}

/// The system's names for its error and signal numbers.
enum SystemMessage {
    static func text(_ code: Int32) -> String {
        // SAFETY: the string is copied before another call can overwrite it.
        unsafe String(cString: strerror(code)) + " (errno \(code))"
    }

    static func signal(_ number: Int32) -> String {
        // SAFETY: the string is copied before another call can overwrite it.
        unsafe strsignal(number).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
