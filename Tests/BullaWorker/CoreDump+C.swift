import BullaTestSupport
import Glibc

/// Real core dumps of this process.
enum CoreDump {
    /// Has the kernel write one into a folder when the process ends by a signal that says so.
    static func allow(in folder: String) throws {
        var limit = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
        // SAFETY: read by the calls alone.
        guard unsafe setrlimit(__rlimit_resource_t(4), &limit) == 0, unsafe chdir(folder) == 0
        else { throw WorkerFailure(exit: .stuck, message: "no core dump may be written") }
    }
}
