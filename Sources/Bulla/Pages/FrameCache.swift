internal import BullaMemory
internal import Synchronization

/// Opened pages kept in memory, found by their pointer without a lock.
///
/// The table's word for a page is the number of its frame plus one. What a frame holds stands in the frame
/// itself: a word that has gone stale finds another page or another version there, and counts as a miss.
final class FrameCache: Sendable {
    private let table: WordTable
    private let region: FrameRegion
    private let pool: Mutex<Pool>

    /// What only one thread at a time may change.
    private struct Pool {
        /// Frames that hold nothing and that nobody looks at.
        var free: [Int]
        /// Frames that the table does not name any more, but that somebody may still look at.
        var limbo: [Int] = []
        var hand = 0
    }

    /// Below it, a few cursors and a deep tree would fill the cache.
    static let frameCountMinimum = 64

    init(pageByteCount: Int, byteLimit: Int) throws(BullaError) {
        let count = max(byteLimit / pageByteCount, Self.frameCountMinimum)
        do {
            table = try WordTable()
            region = try FrameRegion(frameByteCount: pageByteCount, frameCount: count)
        } catch { throw BullaError.memory("reserve a cache of \(count) pages", error) }
        pool = Mutex(Pool(free: Array((0..<count).reversed())))
    }

    /// The page's content, when it is here. To be called inside an epoch.
    @inline(__always)
    func content(_ pointer: PagePointer) -> ByteView? {
        let word = table.load(pointer.number)
        guard word != 0 else { return nil }
        return region.content(Int(word - 1), number: pointer.number, check: pointer.check)
    }

    /// A frame to open a page into; `nil` when every frame is pinned or held.
    ///
    /// To be called outside any epoch: it may wait until the operations of others have ended.
    func claim() -> Int? {
        pool.withLock { pool in
            if pool.free.isEmpty { evict(&pool) }
            return pool.free.popLast()
        }
    }

    func writableContent(_ frame: Int) -> MutableByteView { region.writableContent(frame) }

    /// Gives back a frame that was claimed, but not published.
    func giveBack(_ frame: Int) { pool.withLock { $0.free.append(frame) } }

    /// Lets others find a frame, whose content is complete. To be called inside an epoch.
    ///
    /// - Returns: the content: of this frame, or of the one in which another thread was faster.
    func publish(_ frame: Int, _ pointer: PagePointer) -> ByteView {
        region.identify(frame, number: pointer.number, check: pointer.check)
        while true {
            let former = table.load(pointer.number)
            if former != 0, let content = content(pointer) {
                giveBack(frame)
                return content
            }
            if table.exchange(former, for: UInt64(frame) + 1, at: pointer.number) {
                if former != 0 { retire(Int(former - 1)) }
                return region.writableContent(frame).view
            }
        }
    }

    private func retire(_ frame: Int) { pool.withLock { $0.limbo.append(frame) } }

    /// Frees a batch of frames that were not looked at for a turn of the clock's hand.
    private func evict(_ pool: inout Pool) {
        var candidates = pool.limbo
        pool.limbo = []
        unlink(into: &candidates, &pool)
        guard !candidates.isEmpty else { return }
        Epoch.synchronize()
        for frame in candidates {
            if region.isPinned(frame) || Epoch.isHeld(region.name(frame)) {
                pool.limbo.append(frame)
            } else {
                pool.free.append(frame)
            }
        }
    }

    private func unlink(into candidates: inout [Int], _ pool: inout Pool) {
        let goal = min(max(region.frameCount / 32, 16), 1024)
        // Twice around: the first turn may only have taken marks away.
        for _ in 0..<2 * region.frameCount where candidates.count < goal {
            let frame = pool.hand
            pool.hand = (pool.hand + 1) % region.frameCount
            if region.isPinned(frame) || region.takeReferenced(frame) { continue }
            let word = UInt64(frame) + 1
            // Frames in limbo are not in the table, so none is taken twice.
            if table.exchange(word, for: 0, at: region.number(frame)) { candidates.append(frame) }
        }
    }
}
