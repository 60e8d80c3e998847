#if PostgreSQL
internal import Bulla

/// Pauses between attempts, each twice as long as the last, up to a limit.
///
/// Each pause is shortened by a random part, at most half of it, so that callers that failed
/// together do not collide again.
struct Backoff {
    private var next: Duration
    private let longest: Duration

    init(_ first: Duration, upTo longest: Duration) { (next, self.longest) = (first, longest) }

    /// Sleeps; returns `false` at once if the deadline has passed.
    mutating func take(until deadline: ContinuousClock.Instant) -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        let pause = min(next * Double.random(in: 0.5...1), left)
        next = min(next * 2, longest)
        Pause.sleep(for: pause)
        return true
    }
}
#endif
