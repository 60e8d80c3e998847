internal import BullaMemory
internal import Synchronization

/// Which files this process is writing to, through whichever handle.
///
/// The kernel's lock keeps two handles of one file apart and does not say who has it. Asked only by
/// who was refused that lock, so what stands here of a handle that lost it is never believed.
enum FileWriters {
    /// By the file, the thread or task that took its writer lock.
    private static let writers = Mutex<[FileIdentity: UInt64]>([:])
    /// A forked child finds its parent's writers in the list, and may find it locked for ever: it
    /// does without.
    private static let sentinel = ForkSentinel()

    /// How often an entry is tried, where the system cannot tell a child.
    private static let tryLimit = 1000

    /// Notes that a handle has the lock; whether it could.
    static func begin(_ file: FileIdentity) -> Bool {
        let run = RunIdentity.current
        return attempt { $0[file] = run } != nil
    }

    /// Takes a note back, by who made it.
    static func end(_ file: FileIdentity) {
        writers.withLock { writers in _ = writers.removeValue(forKey: file) }
    }

    /// Whether this very thread or task is writing to the file.
    static func isWritingHere(_ file: FileIdentity) -> Bool {
        writer(file) == RunIdentity.current
    }

    /// Whether a handle of this process has the lock.
    static func isWriting(_ file: FileIdentity) -> Bool { writer(file) != nil }

    private static func writer(_ file: FileIdentity) -> UInt64? { attempt { $0[file] } ?? nil }

    private static func attempt<R>(
        _ body: (inout sending [FileIdentity: UInt64]) -> sending R
    ) -> R? {
        guard sentinel?.isOriginal ?? true else { return nil }
        for _ in 0..<tryLimit {
            if let result = writers.withLockIfAvailable(body) { return result }
        }
        return nil
    }
}
