internal import BullaMemory
internal import Synchronization

/// How many pages have been sealed under the data key in use.
///
/// All processes count in one word of the coordination file, and a stranger that can write to that
/// file can set the word back. So each process keeps its own floor for the newest key epoch: the
/// highest count that it has read in the word or in a verified record, plus what it seals itself.
/// If the word is below the floor, the process raises it to the floor.
final class SealCount: Sendable {
    private struct Floor {
        var epoch: UInt64 = 0
        var count: UInt64 = 0

        /// Takes up the count of a record, unless the record is of an earlier epoch.
        mutating func rise(to record: CommitRecord) {
            if record.keyEpoch > epoch { self = Floor(epoch: record.keyEpoch) }
            if record.keyEpoch == epoch { rise(to: record.sealedCount) }
        }

        /// Raises the count to `other`, but not above twice what one data key may seal.
        ///
        /// So a forged count can only make the next key epoch begin early.
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
    /// - Parameter checkpoint: the newest checkpoint's record, in whose key epoch they are sealed.
    /// - Returns: how many pages have been sealed so far, these included.
    func add(_ count: UInt64, _ checkpoint: CommitRecord) -> UInt64 {
        raise(words.add(count, WorldLayout.seals) &+ count, by: count, checkpoint)
    }

    /// How many pages have been sealed so far.
    func total(_ checkpoint: CommitRecord) -> UInt64 {
        raise(words.loadAcquire(WorldLayout.seals), by: 0, checkpoint)
    }

    /// Takes up the count of a verified record, because the word may have been set back before this
    /// process looked at it.
    func note(_ record: CommitRecord) { floor.withLock { $0.rise(to: record) } }

    /// Starts the count at 0 for a new key epoch.
    ///
    /// The caller holds the lock on the trees and the flush lock, so nobody else counts meanwhile.
    func reset() { words.storeRelease(0, WorldLayout.seals) }

    private func raise(_ shared: UInt64, by count: UInt64, _ checkpoint: CommitRecord) -> UInt64 {
        let own = floor.withLock { floor in
            floor.rise(to: checkpoint)
            floor.rise(to: floor.count + count)
            floor.rise(to: shared)
            return floor.count
        }
        // Raise the word only if it has not changed since it was read: others may have raised it
        // further, or have counted more pages.
        if shared < own { _ = words.exchange(shared, for: own, WorldLayout.seals) }
        return own
    }
}
