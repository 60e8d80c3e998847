internal import BullaMemory
internal import Synchronization

/// Buffers that each hold one whole value while it is lent to a reader, and are then kept for later
/// values.
///
/// Buffers are kept because touching new memory for the first time takes longer than opening the
/// pages whose contents go there.
final class ValueBuffers: Sendable {
    /// The maximum number of bytes of unused buffers that are kept.
    private static let idleByteLimit = 16 << 20
    /// Every buffer is at least this long, so that it is long enough for more values.
    private static let leastByteCount = 64 << 10

    private struct Pool {
        var unused: [ScratchBuffer] = []
        var unusedByteCount = 0
        /// Whether `wipe()` was called; if so, buffers that come back are freed.
        var isWiped = false

        /// Takes the smallest unused buffer that is large enough.
        mutating func take(_ byteCount: Int) -> ScratchBuffer? {
            let fitting = unused.indices.filter { unused[$0].bytes.byteCount >= byteCount }
            guard let index = fitting.min(by: { size($0) < size($1) }) else { return nil }
            unusedByteCount -= size(index)
            return unused.remove(at: index)
        }

        private func size(_ index: Int) -> Int { unused[index].bytes.byteCount }
    }

    private let pool = Mutex(Pool())

    /// A buffer of `byteCount` bytes or more.
    func take(_ byteCount: Int) throws(BullaError) -> ScratchBuffer {
        if let known = pool.withLock({ $0.take(byteCount) }) { return known }
        // A power of two, so that values of similar length can share a buffer.
        let rounded = 1 << (Int.bitWidth - max(byteCount - 1, 0).leadingZeroBitCount)
        return try Buffer.make(max(rounded, Self.leastByteCount))
    }

    func giveBack(_ buffer: ScratchBuffer) {
        pool.withLock { pool in
            let total = pool.unusedByteCount + buffer.bytes.byteCount
            guard !pool.isWiped, total <= Self.idleByteLimit else { return }
            pool.unused.append(buffer)
            pool.unusedByteCount = total
        }
    }

    /// Returns all memory to the system; buffers that are still lent follow when they come back.
    func wipe() {
        pool.withLock { $0 = Pool(isWiped: true) }
    }
}
