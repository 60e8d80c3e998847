/// What makes durable commits, and how.
package enum CommitContender: Codable, Hashable, Sendable, CustomStringConvertible {
    /// `Store.write`: a transaction is a commit.
    case write
    /// `Store.groupWrite`: the threads of a process share commits.
    case groupWrite
    /// No store at all: a lock, a file and a shared flush, see ``BareCommits``. Each commit has the
    /// lock for so long, beside what it writes.
    case bare(holdMicroseconds: Int)

    package var description: String {
        switch self {
        case .write: "write"
        case .groupWrite: "groupWrite"
        case .bare(let hold): "bare, \(hold) us"
        }
    }

    /// Whose single writer others are compared with.
    var base: CommitContender { self == .groupWrite ? .write : self }
}

/// How many commit at once.
package struct CommitShape: Codable, Hashable, Sendable, CustomStringConvertible {
    package var processCount: Int
    /// Of each process.
    package var threadCount: Int

    package init(processCount: Int, threadCount: Int) {
        self.processCount = processCount
        self.threadCount = threadCount
    }

    package static let one = CommitShape(processCount: 1, threadCount: 1)

    package var description: String { "\(processCount) x \(threadCount)" }
}
