internal import CBullaShared
internal import Glibc

/// The heaps of this process, from which its threads have their memory.
package enum ProcessHeaps {
    /// Lets there be no more of them than processors.
    ///
    /// Threads that take turns at work which needs much at a time would otherwise each hold on to a
    /// heap that has grown by it.
    package static func share() {
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        bulla_limit_heaps(Int32(clamping: max(2, count)))
    }
}
