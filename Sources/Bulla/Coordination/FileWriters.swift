internal import BullaMemory
internal import Synchronization

/// The files that this process writes to, or whose trees it changes, through any handle.
///
/// The kernel's lock keeps two handles of one file apart, but does not say which one holds it. A
/// caller looks here only after the kernel has refused it the lock. So if a handle has lost its
/// lock, its entry does not bar others from the free lock.
enum FileWriters {
    /// The thread or task that took each lock.
    private static let writers = Mutex<[Lock: UInt64]>([:])

    /// A lock on a file.
    private struct Lock: Hashable {
        let file: FileIdentity
        let byte: UInt64
    }

    /// Detects a forked child, which must not use the list: the list names the parent's writers,
    /// and its mutex may be locked for ever.
    private static let sentinel = ForkSentinel()

    /// How many times an access to the list is tried, because the list may be locked for ever in a
    /// forked child that was not detected.
    ///
    /// Giving up costs little: a thread or task that would wait for itself gets `busy` after its
    /// timeout instead of at once.
    private static let tryLimit = 1000

    /// Notes that this thread or task has the lock; `false` if it could not be noted.
    static func begin(_ file: FileIdentity, _ byte: UInt64) -> Bool {
        let (lock, run) = (Lock(file: file, byte: byte), RunIdentity.current)
        return attempt { $0[lock] = run } != nil
    }

    /// Removes the note that this thread or task has the lock.
    static func end(_ file: FileIdentity, _ byte: UInt64) {
        let lock = Lock(file: file, byte: byte)
        writers.withLock { writers in _ = writers.removeValue(forKey: lock) }
    }

    /// Whether the current thread or task has the lock.
    static func isWritingHere(_ file: FileIdentity, _ byte: UInt64) -> Bool {
        writer(file, byte) == RunIdentity.current
    }

    /// Whether a handle of this process has the lock.
    static func isWriting(_ file: FileIdentity, _ byte: UInt64) -> Bool {
        writer(file, byte) != nil
    }

    private static func writer(_ file: FileIdentity, _ byte: UInt64) -> UInt64? {
        let lock = Lock(file: file, byte: byte)
        return attempt { $0[lock] } ?? nil
    }

    private static func attempt<R>(
        _ body: (inout sending [Lock: UInt64]) -> sending R
    ) -> R? {
        guard sentinel?.isOriginal ?? true else { return nil }
        for _ in 0..<tryLimit {
            if let result = writers.withLockIfAvailable(body) { return result }
        }
        return nil
    }
}
