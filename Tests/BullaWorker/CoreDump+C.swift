import BullaTestSupport
import Glibc

/// Real core dumps of this process.
enum CoreDump {
    /// Makes the kernel dump core into a folder when a signal that causes a dump ends the process.
    static func allow(in folder: String) throws {
        var limit = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
        // SAFETY: only the calls read it.
        guard unsafe setrlimit(__rlimit_resource_t(4), &limit) == 0, unsafe chdir(folder) == 0
        else { throw WorkerFailure(exit: .stuck, message: "no core dump may be written") }
    }
}
