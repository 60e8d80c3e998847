internal import BullaMemory
internal import Synchronization

/// Which files this process is writing to, or changing the trees of, through whichever handle.
///
/// The kernel's lock keeps two handles of one file apart and does not say who has it. Asked only by
/// who was refused that lock, so what stands here of a handle that lost it is never believed.
enum FileWriters {
    /// By the lock, the thread or task that took it.
    private static let writers = Mutex<[Lock: UInt64]>([:])

    /// A lock of a file.
    private struct Lock: Hashable {
        let file: FileIdentity
        let byte: UInt64
    }

    /// A forked child finds its parent's writers in the list, and may find it locked for ever: it
    /// does without.
    private static let sentinel = ForkSentinel()

    /// How often an entry is tried: in a child that cannot be told from its parent the list may be
    /// locked for ever.
    ///
    /// A try that fails costs the early message, nothing else.
    private static let tryLimit = 1000

    /// Notes that a handle has the lock; whether it could.
    static func begin(_ file: FileIdentity, _ byte: UInt64) -> Bool {
        let (lock, run) = (Lock(file: file, byte: byte), RunIdentity.current)
        return attempt { $0[lock] = run } != nil
    }

    /// Takes a note back, by who made it.
    static func end(_ file: FileIdentity, _ byte: UInt64) {
        let lock = Lock(file: file, byte: byte)
        writers.withLock { writers in _ = writers.removeValue(forKey: lock) }
    }

    /// Whether this very thread or task has the lock.
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
