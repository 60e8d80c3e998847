internal import Synchronization

/// Holds a store's log, from the time it is recovered or joined until the store is closed.
package final class OpenLog: Sendable {
    private let path: String
    private let log = Mutex<StoreLog?>(nil)
    /// The newest commit that was durable when the store was closed.
    private let lastDurable = Atomic<UInt64>(0)

    init(_ path: String) { self.path = path }

    /// The log; `nil` while the store is being opened, and once it is closed.
    package var current: StoreLog? { log.withLock { $0 } }

    /// The log, if the store is open; otherwise this throws `closed`.
    func demand() throws(BullaError) -> StoreLog {
        if let current { return current }
        throw .closed(path)
    }

    func begin(_ new: StoreLog) { log.withLock { $0 = new } }

    func end() { log.withLock { $0.take() }?.end() }

    /// The newest commit of any process.
    func newestCommit() throws(BullaError) -> UInt64 { try demand().newestCommit() }

    /// The newest commit that is known to be durable.
    func durableCommit() throws(BullaError) -> UInt64 { try demand().shared.durableCommit() }

    /// Waits until a commit is durable.
    func awaitDurable(
        _ commit: UInt64, since start: ContinuousClock.Instant = .now
    ) throws(BullaError) {
        try demand().awaitDurable(commit, since: start)
    }

    /// Notes the newest durable commit of a store that is being closed, for ``wasDurable(_:)``.
    func noteDurable(_ commit: UInt64) { lastDurable.store(commit, ordering: .releasing) }

    /// Whether closing the store has flushed a commit.
    func wasDurable(_ commit: UInt64) -> Bool {
        commit <= lastDurable.load(ordering: .acquiring)
    }
}
