import Bulla
import Glibc
import Synchronization

/// Kills this process where it was told to.
final class KillTrigger: Sendable {
    private let point: KillPoint
    private let count = Atomic(0)

    init(_ point: KillPoint) { self.point = point }

    /// Does a step, and may not survive it.
    ///
    /// - Parameters:
    ///   - isDone: whether the step came to anything: a lock that was not had does not count.
    func pass<R: ~Copyable>(
        _ step: KillStep?, _ body: () throws(BullaError) -> R,
        isDone: (borrowing R) -> Bool = { _ in true }
    ) throws(BullaError) -> R {
        come(to: step, .before)
        let result = try body()
        if isDone(result) { come(to: step, .after) }
        return result
    }

    /// Whether it is this write that is to be torn.
    func isTearing(_ step: KillStep) -> Bool {
        point.moment == .torn && point.step == step && isTime()
    }

    private func come(to step: KillStep?, _ moment: KillPoint.Moment) {
        if point.step == step && point.moment == moment && isTime() { Self.die() }
    }

    private func isTime() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed).newValue == point.occurrence
    }

    /// Ends the process as `kill -9` does: nothing is flushed, closed or given up by it.
    static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }
}
