internal import Synchronization

/// Limits how often an event happens, separately for each name.
///
/// Every name has a bucket, which fills at a fixed rate up to `burst` drops; each event takes one
/// drop. Any number of threads can call at once. When there are many buckets, the limiter forgets
/// the full ones. So its memory is proportional to the number of names that have had events within
/// the time that an empty bucket takes to fill.
package final class RateLimiter: Sendable {
    private struct Bucket {
        /// The level in thousandths of drops.
        var level: Int64
        var time: Int64
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        /// The number of buckets above which the full ones are forgotten.
        var tidyCount = 1_024
    }

    private let perSecond: Int64
    private let burst: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - count: how many events are allowed per `seconds`, on average.
    ///   - burst: how many events are allowed at once after a long time without events.
    package init(_ count: Int, perSeconds seconds: Int = 1, burst: Int) {
        precondition(count > 0 && seconds > 0 && burst > 0, "a limiter lets something through")
        perSecond = max(Int64(count) * 1_000 / Int64(seconds), 1)
        self.burst = Int64(burst) * 1_000
    }

    /// How many buckets there are.
    package var count: Int { state.withLock { $0.buckets.count } }

    /// Returns how many seconds an event must wait; `nil` if it is allowed now.
    ///
    /// - Parameters:
    ///   - now: the time in milliseconds since 1970.
    ///   - isCounted: whether the event takes a drop.
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
        // While the clock is behind the bucket's time, because it was set back, no drops are added.
        let elapsed = min(max(now - bucket.time, 0), 1_000_000_000)
        return min(bucket.level + elapsed * perSecond / 1_000, burst)
    }

    private func tidy(_ state: inout State, _ now: Int64) {
        guard state.buckets.count > state.tidyCount else { return }
        state.buckets = state.buckets.filter { level($0.value, now) < burst }
        state.tidyCount = max(2 * state.buckets.count, 1_024)
    }
}
