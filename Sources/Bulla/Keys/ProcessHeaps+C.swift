internal import CBullaShared
internal import Glibc

/// The heaps from which this process's threads take their memory.
package enum ProcessHeaps {
    /// Limits the number of heaps to the number of processors, but to no fewer than two.
    ///
    /// Without the limit, threads that take turns at work that needs much memory would each keep a
    /// large heap.
    package static func share() {
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        bulla_limit_heaps(Int32(clamping: max(2, count)))
    }
}
