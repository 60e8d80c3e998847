internal import Dispatch
internal import Synchronization

/// Does something about every second, beside the threads that measure, until it is stopped.
///
/// For engines that leave it to the application when a relaxed commit reaches the disk.
public final class Ticker: Sendable {
    private let queue = DispatchQueue(label: "ticker")
    private let state = Mutex(State())

    private struct State {
        var isStopped = false
        var error: (any Error)?
    }

    /// Does `action` for the first time in a second.
    public init(_ action: @escaping @Sendable () throws -> Void) {
        schedule(action)
    }

    /// Ends, after the action that is under way.
    ///
    /// - Throws: what an action failed with: then commits that returned may not be on the disk.
    public func stop() throws {
        let error = state.withLock { state in
            state.isStopped = true
            return state.error
        }
        queue.sync {}
        if let error { throw error }
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
