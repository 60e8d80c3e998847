package import BullaText
internal import Glibc

/// Why a run ended early: how it is told to a script, and to people.
public struct BenchError: Error, CustomStringConvertible, Sendable {
    /// How the process ends.
    public let exit: BenchExit
    /// What people read.
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

/// How `bulla-bench` and its workers end, so that no script reads a message to learn it.
public enum BenchExit: Int32, Sendable {
    /// Every row met its target; for a worker: it was told to end.
    case met = 0
    case missed = 1
    case undecided = 2
    /// An option makes no sense; as ArgumentParser ends.
    case usage = 64
    /// An input file cannot be read or understood.
    case input = 65
    /// A store threw an error.
    case store = 70
    /// A worker died, or did not answer.
    case worker = 71
    /// A store does not hold what it should. Nothing that was measured counts.
    case digest = 72
    /// The system refused something: space, memory, processes.
    case system = 74
    /// The worker's parent is gone.
    case orphaned = 75
    /// SIGINT or SIGTERM came.
    case interrupted = 130
}

/// The system's words for its numbers.
enum SystemMessage {
    static func text(_ code: Int32) -> String {
        // SAFETY: the string is copied before anything else can ask for one.
        unsafe String(cString: strerror(code)) + " (errno \(code))"
    }

    static func signal(_ number: Int32) -> String {
        // SAFETY: the string is copied before anything else can ask for one.
        unsafe strsignal(number).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
