internal import BullaMemory
internal import Synchronization

/// What a memtable takes, as long as somebody holds it: index pages, operations and a filter.
///
/// A store looks for its memtables by these, and not by the memtables: an object to which there are
/// weak references is slow to retain, and those that read and write do that.
package final class MemtableMemory: Sendable {
    let pages: ReservedRegion
    let operations: ReservedRegion
    let filter: AnonymousRegion
    private let usedByteCount: Atomic<Int>

    init(byteLimit: Int, filterByteCount: Int) throws(MemoryError) {
        pages = try ReservedRegion(byteCount: byteLimit)
        operations = try ReservedRegion(byteCount: byteLimit)
        filter = try AnonymousRegion(byteCount: filterByteCount)
        usedByteCount = Atomic(filterByteCount)
    }

    /// How many bytes of it are used, as of the end of the last edit.
    package var byteCount: Int { usedByteCount.load(ordering: .relaxed) }

    /// Notes what an edit has come to.
    func noteByteCount(of writer: MemtableWriter) {
        usedByteCount.store(writer.byteCount + filter.bytes.byteCount, ordering: .relaxed)
    }

    /// Makes every byte zero.
    func wipe() {
        pages.wipe()
        operations.wipe()
        filter.wipe()
    }
}
