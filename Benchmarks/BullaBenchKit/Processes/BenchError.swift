internal import Glibc

/// Why a run ended early: how it is told to a script, and to people.
public struct BenchError: Error, CustomStringConvertible, Sendable {
    /// How the process ends.
    public let exit: BenchExit
    /// What people read.
    public let message: String

    /// An error that ends the process with `exit`.
    public init(_ exit: BenchExit, _ message: String) {
        self.exit = exit
        self.message = message
    }

    /// The system refused `attempt`, for the reason that `errno` names.
    package init(system attempt: String, code: Int32 = errno) {
        self.init(.system, "\(attempt): \(SystemMessage.text(code))")
    }

    /// The message.
    public var description: String { message }
}
