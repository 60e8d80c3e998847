import Glibc

/// The folder for this process's temporary files.
enum TemporaryFolder {
    static func use(_ path: String) {
        // SAFETY: the process still has one thread, and both texts outlive the call.
        unsafe setenv("TMPDIR", path, 1)
    }
}
