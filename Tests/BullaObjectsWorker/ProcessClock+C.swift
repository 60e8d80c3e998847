import Glibc

/// The system's clock, which all processes share, and the processor clock.
enum ProcessClock {
    static var now: Int { nanoseconds(CLOCK_MONOTONIC) }

    /// Processor time of this process.
    static var used: Int { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    static func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        // SAFETY: the call writes `time`.
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
