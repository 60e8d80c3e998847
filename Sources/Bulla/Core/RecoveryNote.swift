internal import Logging
internal import Synchronization

/// What opening a store had to give up or to doubt.
final class RecoveryNote: Sendable {
    private let path: String
    private let logger: Logger?
    private let note = Mutex<String?>(nil)
    /// Whether what is read may be in the kernel's page cache alone, because the store was opened
    /// for reading after a crash.
    private let isUnflushed = Atomic(false)

    init(_ path: String, _ logger: Logger?) { (self.path, self.logger) = (path, logger) }

    /// The note; `nil` if there is none.
    var text: String? { note.withLock { $0 } }

    /// Tells the logger, and callers that ask later, what recovery had to give up or to doubt.
    func add(_ what: String, at commit: UInt64) {
        let text = "recovered at commit \(commit): \(what)"
        note.withLock { $0 = text }
        logger?.warning("\(text)", metadata: ["store": "\(path)"])
    }

    /// Notes that loss of power can still undo commits of the log, which was read up to a commit.
    func noteUnflushed(_ commit: UInt64) {
        isUnflushed.store(true, ordering: .releasing)
        add(
            "the log was verified, but is durable only when somebody opens it to write",
            at: commit)
    }

    /// Refuses to vouch for a commit that loss of power can still undo.
    func checkFlushed(_ attempt: String) throws(BullaError) {
        guard isUnflushed.load(ordering: .acquiring) else { return }
        throw BullaError(
            .notYetDurable,
            "\(attempt) \(path): it was not closed cleanly, and its newest commit may not be on "
                + "the disk; open it to write once")
    }
}
