internal import BullaMemory
internal import Synchronization

/// How many pages were sealed under the data key in use.
///
/// All processes count together, in a word of the coordination file, and a stranger who can write
/// to that file can set the word back. So each process has a floor of its own for the newest key
/// epoch: the most that it has read there, or that a record says which it has verified, and on top
/// of that what it seals. A word below the floor is raised to it.
final class SealCount: Sendable {
    private struct Floor {
        var epoch: UInt64 = 0
        var count: UInt64 = 0

        /// Takes up what a record says; one of an earlier epoch says nothing.
        mutating func rise(to record: CommitRecord) {
            if record.keyEpoch > epoch { self = Floor(epoch: record.keyEpoch) }
            if record.keyEpoch == epoch { rise(to: record.sealedCount) }
        }

        /// What a stranger wrote is not believed beyond what a record may say.
        mutating func rise(to other: UInt64) {
            let former = count
            count = min(max(count, other), Self.limit)
            invariant(count >= former, "what was sealed in a key epoch stays sealed")
        }

        private static let limit = SealBudget.pagesPerEpoch * 2
    }

    private let words: SharedWords
    private let floor = Mutex(Floor())

    init(_ words: SharedWords) { self.words = words }

    /// Counts pages that this process is about to seal.
    ///
    /// - Parameter checkpoint: the newest checkpoint's record, whose key epoch they are sealed in.
    /// - Returns: how many there are, with these.
    func add(_ count: UInt64, _ checkpoint: CommitRecord) -> UInt64 {
        raise(words.add(count, WorldLayout.seals) &+ count, by: count, checkpoint)
    }

    /// How many there are.
    func total(_ checkpoint: CommitRecord) -> UInt64 {
        raise(words.loadAcquire(WorldLayout.seals), by: 0, checkpoint)
    }

    /// Takes up what a verified record says was sealed: the word may have been set back before this
    /// process looked at it.
    func note(_ record: CommitRecord) { floor.withLock { $0.rise(to: record) } }

    /// Begins to count anew, where a key epoch has begun.
    ///
    /// To be called under the lock on the trees and the flush lock: nobody else counts meanwhile.
    func reset() { words.storeRelease(0, WorldLayout.seals) }

    private func raise(_ shared: UInt64, by count: UInt64, _ checkpoint: CommitRecord) -> UInt64 {
        let own = floor.withLock { floor in
            floor.rise(to: checkpoint)
            floor.rise(to: floor.count + count)
            floor.rise(to: shared)
            return floor.count
        }
        // Only from what it was: others may have raised it further, or counted on.
        if shared < own { _ = words.exchange(shared, for: own, WorldLayout.seals) }
        return own
    }
}
