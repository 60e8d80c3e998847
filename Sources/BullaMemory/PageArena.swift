internal import Glibc

/// Memory for the pages that a write transaction has changed: named by index, given back by index.
///
/// Slabs come as they are needed and stay until the arena goes; nothing in them reaches a core
/// dump. Every change looks at pages and labels several times, so both are found by the slab's
/// address alone, which stands in memory that Swift has no accesses of to check.
@usableFromInline @safe package final class PageArena: @unchecked Sendable {
    // `@unchecked`: used by one writer at a time.

    @usableFromInline static let slabPageCount = 256
    /// 64 GiB of the smallest pages.
    @usableFromInline static let slabLimit = 1 << 16

    @usableFromInline let pageByteCount: Int
    /// The address of each slab that there may be; 0 where there is none.
    ///
    /// On the ordinary heap: a child of a fork must find the slabs, though they are empty there.
    @usableFromInline let addresses: UnsafeMutablePointer<UInt>
    private var slabs: [AnonymousRegion.Owner] = []
    private var unused: [Int] = []

    package init(pageByteCount: Int) throws(MemoryError) {
        self.pageByteCount = pageByteCount
        // Zeros that take no memory before they are touched.
        guard let memory = unsafe calloc(Self.slabLimit, MemoryLayout<UInt>.size) else {
            throw MemoryError(errno: ENOMEM)
        }
        // SAFETY: aligned for any type, and long enough.
        unsafe addresses = unsafe memory.bindMemory(to: UInt.self, capacity: Self.slabLimit)
    }

    deinit {
        // SAFETY: allocated in init, freed once.
        unsafe Glibc.free(addresses)
    }

    /// How many pages are in use.
    package var count: Int { capacity - unused.count }

    /// How many pages there is memory for.
    package var capacity: Int { slabs.count * Self.slabPageCount }

    /// A page's buffer; its bytes are whatever they were.
    package func allocate() throws(MemoryError) -> Int {
        if unused.isEmpty { try addSlab() }
        return unused.removeLast()
    }

    package func free(_ index: Int) { unused.append(index) }

    @inlinable @inline(__always)
    package func page(_ index: Int) -> MutableByteView {
        // SAFETY: a slab has room for each of its pages.
        unsafe MutableByteView(
            base: slab(index) + index % Self.slabPageCount * pageByteCount,
            byteCount: pageByteCount)
    }

    /// A word that the owner has put to a page; 0 at first.
    @inlinable @inline(__always)
    package func label(_ index: Int) -> UInt64 {
        // SAFETY: labels stand behind the pages of a slab, aligned to 8.
        unsafe labels(index).load(as: UInt64.self)
    }

    @inlinable @inline(__always)
    package func setLabel(_ label: UInt64, of index: Int) {
        // SAFETY: as above.
        unsafe labels(index).storeBytes(of: label, as: UInt64.self)
    }

    @inlinable @inline(__always)
    func labels(_ index: Int) -> UnsafeMutableRawPointer {
        unsafe slab(index) + Self.slabPageCount * pageByteCount + index % Self.slabPageCount * 8
    }

    @inlinable @inline(__always)
    func slab(_ index: Int) -> UnsafeMutableRawPointer {
        let number = index / Self.slabPageCount
        precondition(index >= 0 && number < Self.slabLimit, "a changed page has a number")
        // SAFETY: inside the list of addresses, checked above; an address stays good until deinit.
        guard let slab = unsafe UnsafeMutableRawPointer(bitPattern: addresses[number]) else {
            preconditionFailure("a changed page exists")
        }
        return unsafe slab
    }

    /// Makes the bytes of all pages zero, and the labels.
    package func wipe() {
        for slab in slabs { slab.region.wipe() }
    }

    private func addSlab() throws(MemoryError) {
        guard slabs.count < Self.slabLimit else { throw MemoryError(errno: ENOMEM) }
        let slab = try AnonymousRegion.Owner(byteCount: (pageByteCount + 8) * Self.slabPageCount)
        let first = capacity
        // SAFETY: inside the list, checked above.
        unsafe addresses[slabs.count] = unsafe UInt(bitPattern: slab.region.bytes.base)
        slabs.append(slab)
        unused.append(contentsOf: (first..<first + Self.slabPageCount).reversed())
    }
}

extension AnonymousRegion {
    /// An array cannot hold a noncopyable region, so a class does.
    fileprivate final class Owner {
        let region: AnonymousRegion
        init(byteCount: Int) throws(MemoryError) {
            region = try AnonymousRegion(byteCount: byteCount)
        }
    }
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
