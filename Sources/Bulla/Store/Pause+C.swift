internal import Glibc

/// Waiting without a reason to be woken.
enum Pause {
    /// Two milliseconds: about as long as somebody else takes to open or to close.
    static func brief() { usleep(2000) }
}
