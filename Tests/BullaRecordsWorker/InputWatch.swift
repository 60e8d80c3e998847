import BullaTestSupport
import Foundation
import Synchronization

/// Watches whether the input has ended.
final class InputWatch: Sendable {
    private let ended = Flag()

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    init() {
        let ended = ended
        Thread.detachNewThread {
            Line.awaitEnd()
            ended.isSet.store(true, ordering: .relaxed)
        }
    }

    var hasCome: Bool { ended.isSet.load(ordering: .relaxed) }
}
