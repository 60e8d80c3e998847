internal import Bulla

/// Pauses of the calling thread between attempts, each twice as long as the last, up to a limit.
///
/// Each pause is shortened by a random part, at most half of it, so that callers that failed
/// together do not collide again.
package struct Backoff {
    private var next: Duration
    private let longest: Duration

    package init(_ first: Duration, upTo longest: Duration) {
        (next, self.longest) = (first, longest)
    }

    /// Sleeps.
    package mutating func take() { sleep(atMost: longest) }

    /// Sleeps until the deadline at the latest; returns `false` at once if it has passed.
    package mutating func take(until deadline: ContinuousClock.Instant) -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        sleep(atMost: left)
        return true
    }

    private mutating func sleep(atMost limit: Duration) {
        Pause.sleep(for: min(next * Double.random(in: 0.5...1), limit))
        next = min(next * 2, longest)
    }
}
