internal import BullaMemory
internal import Synchronization

/// Buffers of one size, each lent to one borrower at a time.
final class ScratchPool: Sendable {
    private struct Pool {
        var unused: [ScratchBuffer] = []
        /// Whether `wipe()` was called; if so, buffers that come back are freed.
        var isWiped = false
    }

    private let byteCount: Int
    private let pool = Mutex(Pool())

    init(byteCount: Int) { self.byteCount = byteCount }

    func lend<R>(_ body: (MutableByteView) throws(BullaError) -> R) throws(BullaError) -> R {
        let buffer = try take()
        defer { giveBack(buffer) }
        return try body(buffer.bytes)
    }

    func take() throws(BullaError) -> ScratchBuffer {
        if let known = pool.withLock({ $0.unused.popLast() }) { return known }
        return try Buffer.make(byteCount)
    }

    func giveBack(_ buffer: ScratchBuffer) {
        pool.withLock { pool in if !pool.isWiped { pool.unused.append(buffer) } }
    }

    /// Returns all memory to the system; buffers that are still lent follow when they come back.
    func wipe() {
        pool.withLock { $0 = Pool(isWiped: true) }
    }
}
