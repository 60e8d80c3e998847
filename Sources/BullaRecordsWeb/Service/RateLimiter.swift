internal import Synchronization

/// Lets so many of something happen a second, for each name apart.
///
/// Every name has a bucket that fills at a rate, up to a burst; what happens takes a drop. Any
/// number of threads may call at once. It remembers names whose buckets are not full, and so no
/// more of them than there were drops taken in the time of a burst.
package final class RateLimiter: Sendable {
    private struct Bucket {
        /// Thousandths of drops.
        var level: Int64
        var time: Int64
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        /// How many buckets there may be before the full ones are forgotten.
        var tidyCount = 1_024
    }

    private let perSecond: Int64
    private let burst: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - count: how many may happen in `seconds`, on and on.
    ///   - burst: how many may happen at once after a time of quiet.
    package init(_ count: Int, perSeconds seconds: Int = 1, burst: Int) {
        precondition(count > 0 && seconds > 0 && burst > 0, "nothing would ever be let through")
        perSecond = max(Int64(count) * 1_000 / Int64(seconds), 1)
        self.burst = Int64(burst) * 1_000
    }

    /// How many buckets it has.
    package var count: Int { state.withLock { $0.buckets.count } }

    /// Whether one more may happen now.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - isCounted: whether it takes a drop.
    /// - Returns: `nil` where it may; otherwise after how many seconds.
    package func wait(for name: String, now: Int64, isCounted: Bool = true) -> Int64? {
        state.withLock { state in
            var level = self.level(state.buckets[name], now)
            guard level >= 1_000 else {
                return max((1_000 - level + perSecond - 1) / perSecond, 1)
            }
            guard isCounted else { return nil }
            level -= 1_000
            state.buckets[name] = Bucket(level: level, time: now)
            tidy(&state, now)
            return nil
        }
    }

    private func level(_ bucket: Bucket?, _ now: Int64) -> Int64 {
        guard let bucket else { return burst }
        // A clock that was set back fills nothing.
        let elapsed = min(max(now - bucket.time, 0), 1_000_000_000)
        return min(bucket.level + elapsed * perSecond / 1_000, burst)
    }

    private func tidy(_ state: inout State, _ now: Int64) {
        guard state.buckets.count > state.tidyCount else { return }
        state.buckets = state.buckets.filter { level($0.value, now) < burst }
        state.tidyCount = max(2 * state.buckets.count, 1_024)
    }
}
