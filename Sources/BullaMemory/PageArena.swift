internal import Glibc

/// Memory for the pages that a write transaction has changed: named by index, given back by index.
///
/// Slabs come as they are needed and stay until the arena goes; nothing in them reaches a core
/// dump.
@safe package struct PageArena: ~Copyable, @unchecked Sendable {
    // `@unchecked`: used by one writer at a time.

    private static let slabPageCount = 256

    private let pageByteCount: Int
    private var slabs: [MutableByteView] = []
    private var owners: [SlabOwner] = []
    private var unused: [Int] = []

    package init(pageByteCount: Int) { self.pageByteCount = pageByteCount }

    /// How many pages are in use.
    package var count: Int { slabs.count * Self.slabPageCount - unused.count }

    /// How many pages there is memory for.
    package var capacity: Int { slabs.count * Self.slabPageCount }

    /// A page's buffer; its bytes are whatever they were.
    package mutating func allocate() throws(MemoryError) -> Int {
        if unused.isEmpty { try addSlab() }
        return unused.removeLast()
    }

    package mutating func free(_ index: Int) { unused.append(index) }

    @inline(__always)
    package func page(_ index: Int) -> MutableByteView {
        slabs[index / Self.slabPageCount].slice(
            index % Self.slabPageCount * pageByteCount, pageByteCount)
    }

    /// Makes the bytes of all pages zero.
    package func wipe() {
        for owner in owners { owner.region.wipe() }
    }

    private mutating func addSlab() throws(MemoryError) {
        let owner = try SlabOwner(byteCount: pageByteCount * Self.slabPageCount)
        let first = slabs.count * Self.slabPageCount
        slabs.append(owner.region.bytes)
        owners.append(owner)
        unused.append(contentsOf: (first..<first + Self.slabPageCount).reversed())
    }
}

/// An array cannot hold a noncopyable region, so a class does.
private final class SlabOwner {
    let region: AnonymousRegion
    init(byteCount: Int) throws(MemoryError) { region = try AnonymousRegion(byteCount: byteCount) }
}

/// One buffer, in memory that stays out of core dumps.
package final class ScratchBuffer: @unchecked Sendable {
    // `@unchecked`: lent to one user at a time by whoever owns it.

    private let region: AnonymousRegion

    package init(byteCount: Int) throws(MemoryError) {
        region = try AnonymousRegion(byteCount: byteCount)
    }

    package var bytes: MutableByteView { region.bytes }

    /// Makes its bytes zero.
    package func wipe() { region.wipe() }
}
