internal import Bulla
internal import Dispatch
internal import Synchronization

/// Decides when an engine syncs by itself: after a change was added, after any process has
/// committed, after the user has changed, and a while after a failure.
final class SyncSchedule: Sendable {
    private let database: CKDatabase
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let tasks = Mutex<[Task<Void, Never>]>([])
    /// A queue on which to wait for commits, since waiting blocks a thread.
    private let looking = DispatchQueue(label: "bulla.records.sync")

    /// The longest time that one wait for a commit takes, and so the longest time that its thread
    /// keeps waiting after the engine's end.
    private static let patience = Duration.seconds(2)
    /// The shortest and the longest pause after a failed sync, unless its error asks for a longer
    /// one.
    private static let retryRange = 1.0...60.0

    init(_ database: CKDatabase) {
        self.database = database
        // The stream keeps one unhandled wake, which stands for all wakes that come before it is
        // handled.
        (wakes, waker) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { waker.yield() }

    /// Begins to sync, at once and then after each wake.
    func begin(_ sync: @escaping @Sendable () async throws(CKError) -> Void) {
        let (wakes, waker, database) = (wakes, waker, database)
        let worker = Task {
            var pause = Self.retryRange.lowerBound
            for await _ in wakes {
                do throws(CKError) {
                    try await sync()
                    pause = Self.retryRange.lowerBound
                } catch {
                    // Only the program or a user can remove these causes: wait for the next wake.
                    let waits: [CKError.Code] = [.notAuthenticated, .badContainer]
                    guard error.isPassing, !waits.contains(error.code) else { continue }
                    try? await Task.sleep(for: .seconds(max(error.retryAfterSeconds ?? 0, pause)))
                    pause = min(2 * pause, Self.retryRange.upperBound)
                    waker.yield()
                }
            }
        }
        let watcher = Task { [looking] in
            var (commit, presence) = (UInt64(0), UserPresence.unknown)
            while !Task.isCancelled {
                do throws(CKError) {
                    let open = try database.opened()
                    if open.presence != presence { waker.yield() }
                    presence = open.presence
                    if let next = try await Self.change(in: open, after: commit, on: looking) {
                        commit = next
                        waker.yield()
                    }
                } catch {
                    // The next container to be opened may have another store, with lower commit
                    // numbers.
                    commit = 0
                    try? await Task.sleep(for: .seconds(Self.retryRange.lowerBound))
                }
            }
        }
        tasks.withLock { $0 = [worker, watcher] }
        wake()
    }

    /// Ends syncing; does not wait for a sync that is running.
    func end() {
        waker.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    /// Waits until any process commits to the container's store; `nil` if none does within
    /// `patience`.
    private static func change(
        in open: any RecordContainer, after commit: UInt64, on queue: DispatchQueue
    ) async throws(CKError) -> UInt64? {
        do throws(RecordError) {
            return try await queue.run { () throws(RecordError) in
                try open.waitForChange(after: commit, timeout: patience)
            }
        } catch { throw CKError(error) }
    }
}
