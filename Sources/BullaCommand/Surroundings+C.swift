internal import Glibc

/// What the process was given by whoever started it, made safe before anything is opened.
enum Surroundings {
    static func prepare() {
        fillStandardDescriptors()
        forbidCoreDumps()
    }

    /// Takes the places of standard descriptors that are closed.
    ///
    /// Otherwise the store would be opened in such a place, and a message be written into it. What
    /// is put there refuses to be read or written, so that it is an error as before.
    private static func fillStandardDescriptors() {
        for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = unsafe open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Values pass through the memory of this process on their way to standard output.
    private static func forbidCoreDumps() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        // SAFETY: `limit` is read during the call.
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
