internal import Synchronization

/// Something that happens once, whoever asks for it.
final class Once: Sendable {
    private let isTaken = Atomic(false)

    /// Runs `body` at the first call, and never again.
    @discardableResult
    func take<R>(_ body: () -> R) -> R? {
        isTaken.exchange(true, ordering: .acquiringAndReleasing) ? nil : body()
    }

    var isDone: Bool { isTaken.load(ordering: .acquiring) }
}
