internal import BullaBenchKit
internal import Glibc

/// A lock on a store's folder, held by at most one process at a time.
///
/// A process takes it to open or close an environment. The first process to open makes the shared
/// regions, and the last to close removes them. The library does not prevent one process from
/// making the regions while another still removes them. A process also takes the lock for very
/// large commits.
enum FolderLock {
    static let fileName = "folder.lock"

    /// Calls `body` while no other process holds the lock.
    static func holding<R>(_ folder: String, _ body: () throws -> R) throws -> R {
        let path = "\(folder)/\(fileName)"
        // SAFETY: the call reads the path, which lives across it.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchError(.system, "open \(path): error \(errno)") }
        // The kernel releases the lock when the file is closed.
        defer { _ = close(file) }
        guard flock(file, LOCK_EX) == 0 else {
            throw BenchError(.system, "lock \(path): error \(errno)")
        }
        return try body()
    }
}
