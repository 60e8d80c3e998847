internal import Synchronization

/// Puts the chunks of one file into the store as they arrive, on the thread that calls it.
final class ChunkPutter: Sendable {
    /// The maximum number of chunks in one commit, even if no other writer waits.
    private static let commitCount = 64

    let queue = ChunkQueue()
    private let core: RecordCore
    private let database: Database
    private let asset: RandomIdentifier
    /// How many chunks were taken from the queue.
    private let index = Atomic<UInt32>(0)

    init(_ core: RecordCore, _ database: Database, _ asset: RandomIdentifier) {
        (self.core, self.database, self.asset) = (core, database, asset)
    }

    /// Puts the waiting chunks; call it when a chunk waits, and on one thread at a time.
    ///
    /// Inside a commit, it never waits for a chunk.
    func put() throws(RecordError) {
        do throws(RecordError) {
            repeat { try putWaiting() } while !queue.endIfEmpty()
        } catch {
            queue.fail(error)
            throw error
        }
    }

    private func putWaiting() throws(RecordError) {
        let first = index.load(ordering: .relaxed)
        try core.backend.put(from: first, of: asset, in: database, time: core.clock()) {
            let place = index.load(ordering: .relaxed)
            guard place - first < Self.commitCount, let chunk = queue.next() else {
                return nil
            }
            index.store(place + 1, ordering: .relaxed)
            return chunk
        }
    }
}
