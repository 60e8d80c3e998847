internal import BullaMemory

extension ByteArena {
    /// Copies a tree's name into the arena, which keeps the copy until the transaction ends.
    mutating func keepName(_ name: ByteView) throws(BullaError) -> ByteView {
        do throws(MemoryError) { return try keep(name) } catch {
            throw BullaError.memory("keep the name of a tree", error)
        }
    }
}
