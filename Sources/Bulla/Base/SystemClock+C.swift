internal import Glibc

/// A clock that all processes of a machine share.
enum SystemClock {
    /// Whole seconds since the system started, including time asleep.
    static var seconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(clamping: time.tv_sec)
    }
}
