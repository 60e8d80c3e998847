internal import BullaBenchKit
internal import Glibc

/// A lock on a store's folder: at any time one of all processes has it.
///
/// Who opens or closes an environment takes it, since what is shared is made by the first who comes
/// and removed by the last who goes; the library says that this is for the application to order.
/// So does who commits very much at once.
enum FolderLock {
    static let fileName = "folder.lock"

    /// Does `body` while no other process is in its own.
    static func holding<R>(_ folder: String, _ body: () throws -> R) throws -> R {
        let path = "\(folder)/\(fileName)"
        // SAFETY: the call reads the path, which lives across it.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw BenchError(.system, "open \(path): error \(errno)") }
        // The kernel lets go of the lock when the file is closed.
        defer { _ = close(file) }
        guard flock(file, LOCK_EX) == 0 else {
            throw BenchError(.system, "lock \(path): error \(errno)")
        }
        return try body()
    }
}
