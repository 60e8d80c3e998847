internal import BullaMemory
internal import Synchronization

/// Tells all processes that a flush has failed, and remembers it in this process, because nothing
/// can undo such a failure.
final class FlushPoison: Sendable {
    private let words: SharedWords
    /// The store's path, for messages.
    private let path: String
    private let isLatched = Atomic(false)

    init(_ words: SharedWords, path: String) {
        self.words = words
        self.path = path
    }

    /// Whether a flush has failed, in any process.
    ///
    /// Once this process knows of a failure, it does not forget it, whatever a stranger writes to
    /// the shared word.
    var isKnown: Bool {
        if isLatched.load(ordering: .acquiring) { return true }
        guard words.loadAcquire(WorldLayout.poison) != 0 else { return false }
        if !PlantedBug.isPlanted(.poisonNotLatched) {
            isLatched.store(true, ordering: .releasing)
        }
        return true
    }

    /// Records that a flush has failed: first in this process, then for all.
    func spread() {
        if !PlantedBug.isPlanted(.poisonNotShared), !PlantedBug.isPlanted(.poisonNotLatched) {
            isLatched.store(true, ordering: .releasing)
        }
        if !PlantedBug.isPlanted(.poisonNotShared) { words.storeRelease(1, WorldLayout.poison) }
        invariant(
            PlantedBug.isPlanted(.poisonNotShared) || PlantedBug.isPlanted(.poisonNotLatched)
                || isKnown,
            "a process that spreads an error knows it")
        words.add(1, WorldLayout.flushTurns)
        words.wake(WorldLayout.flushTurns)
    }

    /// - Throws: `poisoned` if a flush has failed.
    func check() throws(BullaError) {
        guard isKnown else { return }
        throw BullaError(
            .poisoned,
            "use \(path): a flush failed, and what it covered is in doubt; "
                + "look at the disk, close the store everywhere, then open it again")
    }

    /// Runs a flush; if it fails, poisons the store for all processes.
    ///
    /// After a failed write, the kernel counts the page as clean. So a second flush that succeeds
    /// does not prove that the page is on the disk.
    func spreading<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        do { return try body() } catch {
            spread()
            throw error
        }
    }
}
