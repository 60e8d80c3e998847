internal import Synchronization

/// Lets calls through to one site, and only a few of them while the site is slow.
///
/// A site is slow while a few calls in progress have already waited for long. It is also slow if
/// the call that ended last took long. Callers beyond those few are refused at once, so that the
/// threads of the service do not all wait for one site.
package final class SiteGate: Sendable {
    private struct State {
        /// When each call in progress was let through, in ascending order.
        var starts: [ContinuousClock.Instant] = []
        /// Whether the call that ended last took long.
        var wasSlow = false
    }

    private let patience: SitePatience
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameter now: the time.
    package init(
        _ patience: SitePatience,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        (self.patience, self.now) = (patience, now)
    }

    /// Runs a call.
    ///
    /// - Throws: what the call throws; `unavailable`, without running it, if too many calls wait
    ///   for an answer.
    package func pass<R>(
        _ name: String, _ call: () throws(RecordError) -> R
    ) throws(RecordError) -> R {
        guard let start = enter() else {
            throw RecordError(
                .unavailable, "use database \(name): it does not answer", retryAfter: 1)
        }
        defer { leave(start) }
        return try call()
    }

    private func enter() -> ContinuousClock.Instant? {
        state.withLock { state in
            let time = now()
            let limit = max(patience.callerLimit, 1)
            let waitingCount = state.starts.count { time - $0 >= patience.slowness }
            let isSlow = waitingCount >= limit || state.wasSlow
            // A site may answer although the calls in progress take long, so now and then one more
            // caller may find out whether it does.
            let isDue = time - (state.starts.last ?? time) >= patience.silence
            guard state.starts.count < limit || !isSlow || isDue else { return nil }
            state.starts.append(time)
            return time
        }
    }

    private func leave(_ start: ContinuousClock.Instant) {
        state.withLock { state in
            if let index = state.starts.firstIndex(of: start) { state.starts.remove(at: index) }
            state.wasSlow = now() - start >= patience.slowness
        }
    }
}
