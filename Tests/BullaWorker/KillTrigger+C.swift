import Bulla
import Glibc
import Synchronization

/// Kills or stops this process at a given point.
final class KillTrigger: Sendable {
    private let point: KillPoint
    private let isStopping: Bool
    private let count = Atomic(0)

    /// - Parameters:
    ///   - isStopping: whether the process is stopped, and can continue later; otherwise it is
    ///     killed.
    init(_ point: KillPoint, isStopping: Bool) {
        self.point = point
        self.isStopping = isStopping
    }

    /// Does a step, which can kill the process.
    ///
    /// - Parameters:
    ///   - isDone: whether the step succeeded: a lock that was refused does not count.
    func pass<R: ~Copyable>(
        _ step: KillStep?, _ body: () throws(BullaError) -> R,
        isDone: (borrowing R) -> Bool = { _ in true }
    ) throws(BullaError) -> R {
        come(to: step, .before)
        let result = try body()
        if isDone(result) { come(to: step, .after) }
        return result
    }

    /// Whether to tear this write.
    func isTearing(_ step: KillStep) -> Bool {
        point.moment == .torn && point.step == step && isTime()
    }

    private func come(to step: KillStep?, _ moment: KillPoint.Moment) {
        guard point.step == step && point.moment == moment && isTime() else { return }
        guard isStopping else { Self.die() }
        kill(getpid(), SIGSTOP)
    }

    private func isTime() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed).newValue == point.occurrence
    }

    /// Ends the process like `kill -9`: it flushes, closes and releases nothing.
    static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }
}
