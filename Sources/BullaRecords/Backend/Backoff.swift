internal import Bulla

/// Pauses the calling thread between attempts, each time for twice as long, up to a limit.
///
/// Each pause is shortened at random, by up to half, so that callers that failed together do not
/// collide again.
package struct Backoff {
    private var next: Duration
    private let longest: Duration

    package init(_ first: Duration, upTo longest: Duration) {
        (next, self.longest) = (first, longest)
    }

    /// Sleeps.
    package mutating func take() { sleep(atMost: longest) }

    /// Sleeps, but not beyond the deadline; returns `false` at once if the deadline has passed.
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
