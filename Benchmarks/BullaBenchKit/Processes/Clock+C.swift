internal import Glibc

/// The machine's monotonic clock: one for all its processes, so that their times compare.
package enum Clock {
    /// Nanoseconds since the machine started.
    @inline(__always)
    package static var now: UInt64 {
        var time = timespec()
        // SAFETY: writes the one timespec that it is given.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000
            &+ UInt64(bitPattern: Int64(time.tv_nsec))
    }

    /// Returns at `instant`, or at once where it has passed.
    package static func sleep(until instant: UInt64) {
        var time = timespec(
            tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        // SAFETY: reads the one timespec that it is given; the rest is not asked for.
        while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    /// Returns at `instant`, without sleeping: a timer would be late.
    static func spin(until instant: UInt64) {
        while now < instant {}
    }

    /// What asking for the time costs: the smallest of several means, in nanoseconds.
    package static func cost() -> Double {
        (0..<10).map { _ in meanCost(count: 10_000) }.min() ?? 0
    }

    private static func meanCost(count: Int) -> Double {
        let start = now
        var last = start
        for _ in 0..<count { last = now }
        return Double(last - start) / Double(count)
    }

    /// The time of day, as `2025-11-21T09:43:00Z`.
    package static var timestamp: String {
        var seconds = time(nil)
        // SAFETY: both are ours and live across the call; the name of the zone is not looked at.
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        let date = unsafe [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        let clock = unsafe [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)]
        return joined(date, "-") + "T" + joined(clock, ":") + "Z"
    }

    private static func joined(_ parts: [Int], _ separator: String) -> String {
        parts.map { Format.padLeft("\($0)", 2, "0") }.joined(separator: separator)
    }
}
