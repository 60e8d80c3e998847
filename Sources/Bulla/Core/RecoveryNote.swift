internal import Logging
internal import Synchronization

/// What opening a store found damaged, or could not make durable.
final class RecoveryNote: Sendable {
    private let path: String
    private let logger: Logger?
    private let note = Mutex<String?>(nil)
    /// Whether readers may see data that is only in the kernel's page cache, because the store was
    /// opened for reading after a crash.
    private let isUnflushed = Atomic(false)

    init(_ path: String, _ logger: Logger?) { (self.path, self.logger) = (path, logger) }

    /// The note; `nil` if there is none.
    var text: String? { note.withLock { $0 } }

    /// Reports what opening has found: to the logger now, and to callers that ask for it later.
    func add(_ what: String, at commit: UInt64) {
        let text = "recovered at commit \(commit): \(what)"
        note.withLock { $0 = text }
        logger?.warning("\(text)", metadata: ["store": "\(path)"])
    }

    /// Notes that a loss of power can still undo commits of the log, which was read up to `commit`.
    func noteUnflushed(_ commit: UInt64) {
        isUnflushed.store(true, ordering: .releasing)
        add(
            "the log was verified, but becomes durable only when somebody opens the store to write",
            at: commit)
    }

    /// Throws if a loss of power can still undo the newest commit.
    func checkFlushed(_ attempt: String) throws(BullaError) {
        guard isUnflushed.load(ordering: .acquiring) else { return }
        throw BullaError(
            .notYetDurable,
            "\(attempt) \(path): it was not closed cleanly, and its newest commit may not be on "
                + "the disk; open it to write once")
    }
}
