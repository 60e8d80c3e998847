internal import BullaMemory
internal import Synchronization

/// Buffers for values that are lent whole, each kept for the next one.
///
/// Memory that is touched for the first time takes the kernel longer than opening the pages that
/// are put there.
final class ValueBuffers: Sendable {
    /// How much is kept while nobody uses it.
    private static let idleByteLimit = 16 << 20
    /// Smaller ones are made as large, so that they serve more values.
    private static let leastByteCount = 64 << 10

    private struct Pool {
        var unused: [ScratchBuffer] = []
        var unusedByteCount = 0
        /// Whether what comes back goes away.
        var isWiped = false

        /// The smallest that is large enough.
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
        // A power of two, so that values of nearly one length have one buffer.
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

    /// Gives all memory back to the system; what is lent follows when it comes back.
    func wipe() {
        pool.withLock { $0 = Pool(isWiped: true) }
    }
}
