internal import Bulla
internal import Glibc

/// Prepares the process of a service, before it opens anything.
enum ServiceProcess {
    /// Call it before anything else.
    static func prepare() {
        // Writing to a closed pipe, or beyond the user's file size limit, becomes an error of
        // `write` instead of a fatal signal. This also holds for the log, whose failure must not
        // end the service.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        ProcessHeaps.share()
    }
}
