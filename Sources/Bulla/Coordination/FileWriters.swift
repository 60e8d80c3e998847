internal import BullaMemory
internal import Synchronization

/// The files that this process writes to, or whose trees it changes, through any handle.
///
/// The kernel's lock keeps two handles of one file apart, but does not say who holds it. Only a
/// caller that was refused the lock looks here, so the entry of a handle that has lost the lock is
/// never believed.
enum FileWriters {
    /// The thread or task that took each lock.
    private static let writers = Mutex<[Lock: UInt64]>([:])

    /// A lock of a file.
    private struct Lock: Hashable {
        let file: FileIdentity
        let byte: UInt64
    }

    /// Detects a forked child, which does not use the list: its parent's writers are in the list,
    /// which may also be locked for ever.
    private static let sentinel = ForkSentinel()

    /// The most times an access is tried: the list may be locked for ever in a child that cannot be
    /// told from its parent.
    ///
    /// If an access fails, the only loss is that a thread or task that would wait for itself gets
    /// `busy` after its timeout instead of at once.
    private static let tryLimit = 1000

    /// Notes that this thread or task has the lock; `false` if it could not be noted.
    static func begin(_ file: FileIdentity, _ byte: UInt64) -> Bool {
        let (lock, run) = (Lock(file: file, byte: byte), RunIdentity.current)
        return attempt { $0[lock] = run } != nil
    }

    /// Removes a note; called by the thread or task that made it.
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
