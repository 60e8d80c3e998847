internal import BullaMemory
internal import Synchronization

/// The memory of a memtable: index pages, operations and a filter.
///
/// A store has weak references to objects of this type, not to memtables, because an object with
/// weak references is slow to retain, and readers and writers retain memtables.
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

    /// How many bytes of this memory have been used, as of the end of the last edit.
    package var byteCount: Int { usedByteCount.load(ordering: .relaxed) }

    /// Notes how much memory has been used, at the end of an edit.
    func noteByteCount(of writer: MemtableWriter) {
        usedByteCount.store(writer.byteCount + filter.bytes.byteCount, ordering: .relaxed)
    }

    /// Zeroes every byte.
    func wipe() {
        pages.wipe()
        operations.wipe()
        filter.wipe()
    }
}
