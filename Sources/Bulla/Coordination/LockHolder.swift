internal import BullaMemory

/// A lock whose holder writes down its process number, only for messages.
///
/// The kernel does not say which process holds a lock on a file. The number may be that of a dead
/// process or of one in another container, or a stranger may have written it. So messages print it,
/// and nothing else relies on it.
enum LockHolder {
    case writer, flush, tree

    private var word: Int {
        switch self {
        case .writer: WorldLayout.writerProcess
        case .flush: WorldLayout.flushProcess
        case .tree: WorldLayout.treeProcess
        }
    }

    /// Notes the number of this process, which holds the lock.
    ///
    /// - Parameters:
    ///   - process: the number of this process. Callers keep the number, so they ask the kernel for
    ///     it only once.
    func note(_ process: UInt64, in words: SharedWords) { words.storeRelease(process, word) }

    /// Removes the number; the caller still has the lock, so the number is its own.
    func forget(in words: SharedWords) { words.storeRelease(0, word) }

    /// The holder's number; `nil` if no holder has written one.
    func process(in words: SharedWords) -> UInt64? {
        let number = words.loadAcquire(word)
        return number == 0 ? nil : number
    }

    /// The holder's name in a message.
    func name(in words: SharedWords) -> String {
        process(in: words).map { "process \($0)" } ?? "another process"
    }
}
