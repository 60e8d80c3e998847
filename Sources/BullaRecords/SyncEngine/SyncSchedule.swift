internal import Synchronization

/// Decides when an engine syncs by itself: when a change was added, when anybody has committed, and
/// a while after a failure.
final class SyncSchedule: Sendable {
    private let database: CKDatabase
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// How long one look for commits waits: an engine that ends leaves a thread waiting as long.
    private static let patience = Duration.seconds(2)
    /// The shortest and the longest time until a failed sync is tried again.
    private static let retryRange = 1.0...60.0

    init(_ database: CKDatabase) {
        self.database = database
        // A wake that is still to be answered stands for all that come until then.
        (wakes, waker) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { waker.yield() }

    /// Begins to sync: at once, and with each wake.
    func begin(_ sync: @escaping @Sendable () async throws(CKError) -> Void) {
        let (wakes, waker, database) = (wakes, waker, database)
        let worker = Task {
            var pause = Self.retryRange.lowerBound
            for await _ in wakes {
                do throws(CKError) {
                    try await sync()
                    pause = Self.retryRange.lowerBound
                } catch {
                    // Nobody has signed in, or the container is closed: a later wake tries again.
                    guard error.isPassing, error.code != .notAuthenticated else { continue }
                    try? await Task.sleep(for: .seconds(max(error.retryAfterSeconds ?? 0, pause)))
                    pause = min(2 * pause, Self.retryRange.upperBound)
                    waker.yield()
                }
            }
        }
        let watcher = Task {
            var commit: UInt64 = 0
            while !Task.isCancelled {
                do throws(CKError) {
                    let next = try await database.waitForChange(
                        after: commit, timeout: Self.patience)
                    guard let next else { continue }
                    commit = next
                    waker.yield()
                } catch {
                    // The worker tells if the user has signed out.
                    waker.yield()
                    try? await Task.sleep(for: .seconds(Self.retryRange.lowerBound))
                }
            }
        }
        tasks.withLock { $0 = [worker, watcher] }
        wake()
    }

    /// Ends syncing; what is being done is not waited for.
    func end() {
        waker.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
