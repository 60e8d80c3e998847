internal import BullaMemory

/// A lock whose holder writes down its process number: for messages, and for nothing else.
///
/// The kernel does not tell whose an open file's lock is. What stands in the word may be a dead
/// process's number, that of another container, or a stranger's: it is printed, and never believed.
enum LockHolder {
    case writer, flush, tree

    private var word: Int {
        switch self {
        case .writer: WorldLayout.writerProcess
        case .flush: WorldLayout.flushProcess
        case .tree: WorldLayout.treeProcess
        }
    }

    /// To be called by who has the lock.
    ///
    /// - Parameters:
    ///   - process: its number, which it asked the kernel for once.
    func note(_ process: UInt64, in words: SharedWords) { words.storeRelease(process, word) }

    /// To be called by who has the lock still: afterwards the word may be the next one's.
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
