internal import CBullaShared

/// Pictures of a process's memory that the kernel writes when it dies.
package enum CoreDumps {
    /// Forbids them for this process, and forbids other processes to look into it.
    ///
    /// - Returns: `false` where the kernel refuses.
    package static func forbid() -> Bool { bulla_forbid_core_dumps() }
}
