internal import Glibc

/// Why a run ended early: how it is told to a script, and to people.
package struct BenchError: Error, CustomStringConvertible, Sendable {
    package let exit: BenchExit
    package let message: String

    package init(_ exit: BenchExit, _ message: String) {
        self.exit = exit
        self.message = message
    }

    /// The system refused `attempt`, for the reason that `errno` names.
    package init(system attempt: String, code: Int32 = errno) {
        self.init(.system, "\(attempt): \(SystemMessage.text(code))")
    }

    package var description: String { message }
}
