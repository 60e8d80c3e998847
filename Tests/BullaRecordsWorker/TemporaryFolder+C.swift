import Glibc

/// Where this process puts temporary files.
enum TemporaryFolder {
    static func use(_ path: String) {
        // SAFETY: the process has one thread yet, and both texts live through the call.
        unsafe setenv("TMPDIR", path, 1)
    }
}
