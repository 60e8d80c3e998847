package import BullaMemory

/// A small buffer for what is put together before it is written.
package enum Buffer {
    package static func make(_ byteCount: Int) throws(BullaError) -> ScratchBuffer {
        do { return try ScratchBuffer(byteCount: byteCount) } catch {
            throw BullaError.memory("allocate \(byteCount) bytes", error)
        }
    }
}
