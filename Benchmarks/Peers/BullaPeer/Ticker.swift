internal import Dispatch
internal import Synchronization

/// Repeats an action about every second on a queue of its own, until it is stopped.
///
/// It serves engines whose relaxed commits reach the disk only when the application asks for it.
public final class Ticker: Sendable {
    private let queue = DispatchQueue(label: "ticker")
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var error: (any Error)?
    }

    /// Starts the repetition; `action` first runs after a second.
    public init(_ action: @escaping @Sendable () throws -> Void) {
        schedule(action)
    }

    /// Stops the repetition, and waits for an action that is under way.
    ///
    /// - Throws: the error of an action that failed; acknowledged commits may then not be on disk.
    public func stop() throws {
        state.withLock { $0.isStopped = true }
        queue.sync {}
        if let error = state.withLock({ $0.error }) { throw error }
    }

    private func schedule(_ action: @escaping @Sendable () throws -> Void) {
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            guard let self, !state.withLock({ $0.isStopped }) else { return }
            do {
                try action()
                schedule(action)
            } catch {
                state.withLock { $0.error = error }
            }
        }
    }
}
