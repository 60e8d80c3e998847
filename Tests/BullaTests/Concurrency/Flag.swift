import Synchronization

/// Raised once, seen by all.
final class Flag: Sendable {
    private let word = Atomic<Bool>(false)
    func raise() { word.store(true, ordering: .releasing) }
    var isRaised: Bool { word.load(ordering: .acquiring) }
}
