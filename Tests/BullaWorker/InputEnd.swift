import BullaTestSupport
import Foundation
import Synchronization

/// Watches for the end of the input, which comes when the test wants the worker to stop, or is
/// dead.
final class InputEnd: Sendable {
    private let ended: Flag

    /// How long a worker may go on after the end of its input before it counts as stuck, and exits.
    private static let grace: TimeInterval = 60

    var hasCome: Bool { ended.isSet.load(ordering: .relaxed) }

    init() {
        let ended = Flag()
        self.ended = ended
        let thread = Thread {
            Line.awaitEnd()
            ended.isSet.store(true, ordering: .relaxed)
            Thread.sleep(forTimeInterval: Self.grace)
            Line.complain("the worker is stuck")
            WorkerExit.stuck.leave()
        }
        thread.start()
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }
}
