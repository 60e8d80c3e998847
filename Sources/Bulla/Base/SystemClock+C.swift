internal import Glibc

/// Time that every process of a machine counts alike.
enum SystemClock {
    /// Whole seconds since the system started, those that it slept included.
    static var seconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(clamping: time.tv_sec)
    }
}
