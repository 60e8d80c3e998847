package import BullaMemory

/// Allocates scratch buffers, and reports a shortage as a ``BullaError``.
package enum Buffer {
    package static func make(_ byteCount: Int) throws(BullaError) -> ScratchBuffer {
        do { return try ScratchBuffer(byteCount: byteCount) } catch {
            throw BullaError.memory("allocate \(byteCount) bytes", error)
        }
    }
}
