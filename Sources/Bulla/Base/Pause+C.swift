internal import Glibc

/// Waiting without a reason to be woken.
enum Pause {
    /// Two milliseconds: about as long as somebody else takes to open or to close.
    static func brief() { usleep(2000) }

    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        // SAFETY: two structures, read and written during the call.
        while unsafe nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}
