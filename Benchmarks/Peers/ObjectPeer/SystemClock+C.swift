internal import Glibc

/// The machine's monotonic clock, the same for all processes, so that times can be compared.
public enum SystemClock {
    /// The nanoseconds since an arbitrary instant.
    public static var now: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// The processor time that this process has used so far, in all of its threads.
    public static var processorTime: UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        // SAFETY: writes the one timespec that it is given.
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
