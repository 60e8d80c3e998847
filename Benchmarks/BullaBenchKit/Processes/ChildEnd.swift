/// How a process ended.
package enum ChildEnd: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case killed(Int32)

    /// - Parameter status: as `waitpid` gives it.
    package init(status: Int32) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
    }

    package var description: String {
        switch self {
        case .exited(let code):
            "ended with status \(code)" + (Self.meaning(of: code).map { " (\($0))" } ?? "")
        case .killed(let signal):
            "was killed by signal \(signal) (\(SystemMessage.signal(signal)))"
        }
    }

    /// Below 64 are verdicts, which other programs mean otherwise.
    private static func meaning(of code: Int32) -> BenchExit? {
        code < BenchExit.usage.rawValue ? nil : BenchExit(rawValue: code)
    }
}
