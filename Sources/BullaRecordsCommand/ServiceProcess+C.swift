internal import Bulla
internal import Glibc

/// What the process of a service is before it opens anything.
enum ServiceProcess {
    /// Called once, first.
    static func prepare() {
        // A reader that has gone, and a file over the user's limit, are errors of `write`: of the
        // log too, which must not end the service.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        ProcessHeaps.share()
    }
}
