internal import BullaMemory
internal import Synchronization

/// That a flush has failed, which nobody can undo: said to all processes, and known here for good.
final class FlushPoison: Sendable {
    private let words: SharedWords
    /// The store's, for messages.
    private let path: String
    private let isLatched = Atomic(false)

    init(_ words: SharedWords, path: String) {
        self.words = words
        self.path = path
    }

    /// Whether a flush has failed, in whatever process.
    ///
    /// Once known, it stays so, whatever a stranger writes over the shared word.
    var isKnown: Bool {
        if isLatched.load(ordering: .acquiring) { return true }
        guard words.loadAcquire(WorldLayout.poison) != 0 else { return false }
        if !PlantedBug.isPlanted(.poisonNotLatched) {
            isLatched.store(true, ordering: .releasing)
        }
        return true
    }

    /// Says that a flush has failed: first here, then to everybody.
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

    /// - Throws: `poisoned` where a flush has failed.
    func check() throws(BullaError) {
        guard isKnown else { return }
        throw BullaError(
            .poisoned,
            "use \(path): a flush failed, and what it covered is in doubt; "
                + "look at the disk, close the store everywhere, then open it again")
    }

    /// Runs what flushes; where it fails, nothing that it covered is believed any more.
    ///
    /// A page that the kernel could not write counts as clean afterwards: a second flush that
    /// succeeds means nothing.
    func spreading<R>(_ body: () throws(BullaError) -> R) throws(BullaError) -> R {
        do { return try body() } catch {
            spread()
            throw error
        }
    }
}
