internal import CBullaShared
internal import Glibc

/// The heaps from which this process's threads take their memory.
package enum ProcessHeaps {
    /// Limits their number to that of the processors, but to no fewer than two.
    ///
    /// Threads that take turns at work that needs much memory would otherwise each keep a heap that
    /// has grown for it.
    package static func share() {
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        bulla_limit_heaps(Int32(clamping: max(2, count)))
    }
}
