internal import CBullaShared

/// Images of a process's memory that the kernel writes when the process crashes.
package enum CoreDumps {
    /// Forbids core dumps of this process, and forbids other processes to read its memory.
    ///
    /// - Returns: `false` if the kernel refuses.
    package static func forbid() -> Bool { bulla_forbid_core_dumps() }
}
