internal import Glibc

/// Pauses of the calling thread.
package enum Pause {
    /// Sleeps for two milliseconds, about as long as another process takes to open or close a
    /// store.
    static func brief() { usleep(2000) }

    /// Sleeps for the whole duration, even if signals interrupt the sleep.
    package static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        // SAFETY: the call reads and writes the two structures, and does not keep their addresses.
        while unsafe nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}
