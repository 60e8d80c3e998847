internal import CBullaShared
internal import Glibc

/// There is no memory or address space, or none of the kind that was asked for.
package struct MemoryError: Error, Equatable, CustomStringConvertible {
    /// What is missing.
    package enum Reason: Sendable, Equatable {
        /// A system call failed, usually because there is no memory or no address space.
        case system
        /// Memory for secrets cannot be locked; the limit is in bytes (RLIMIT_MEMLOCK), `nil` if
        /// there is none.
        case cannotLock(limit: UInt64?)
        /// A ``SecretBudget`` is used up; both numbers are in bytes.
        case budget(limit: Int, used: Int)
    }

    /// What the failed system call left in `errno`; `ENOMEM` if a budget is used up.
    package let errno: Int32
    package let reason: Reason

    package init(errno: Int32, reason: Reason = .system) {
        self.errno = errno
        self.reason = reason
    }

    /// An error of the system, reported as a failure to lock memory.
    static func cannotLock(errno: Int32) -> MemoryError {
        let limit = bulla_secret_byte_limit()
        return MemoryError(errno: errno, reason: .cannotLock(limit: limit == .max ? nil : limit))
    }

    /// Whether memory or address space is short.
    ///
    /// `EAGAIN` means that every new mapping of the process gets locked, and that the process may
    /// lock no more memory.
    package var isShortage: Bool { reason == .system && (errno == ENOMEM || errno == EAGAIN) }

    /// Whether there is memory, but it cannot be locked.
    package var isOfLocking: Bool {
        if case .cannotLock = reason { return true }
        return false
    }

    /// What is missing, for a message.
    package var description: String {
        switch reason {
        case .system where errno == EAGAIN: "the process locks its mappings, and may lock no more"
        case .system: "error \(errno) of the system"
        case .cannotLock(nil): "memory for keys cannot be locked"
        case .cannotLock(let limit?):
            "memory for keys cannot be locked: the limit is \(limit) bytes (RLIMIT_MEMLOCK)"
        case .budget(let limit, let used):
            "secret memory: \(Self.text(limit)) budget, \(Self.text(used)) in use"
        }
    }

    private static func text(_ byteCount: Int) -> String {
        for (unit, name) in [(1 << 20, "MiB"), (1 << 10, "KiB")]
        where byteCount > 0 && byteCount % unit == 0 {
            return "\(byteCount / unit) \(name)"
        }
        return "\(byteCount) bytes"
    }
}
