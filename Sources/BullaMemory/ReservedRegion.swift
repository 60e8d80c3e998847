internal import CBullaShared
internal import Synchronization

/// Address space for as much memory as may be needed; the memory comes when it is prepared and
/// touched.
///
/// Its content never moves. It is kept out of core dumps, is empty in a forked child, and goes back
/// to the system when the region goes away.
@safe package struct ReservedRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: the owner decides which thread writes where.

    private let region: AnonymousRegion
    private let hugeBlocks: HugeBlocks
    /// How many bytes, counted from the beginning, can be accessed.
    private let openByteCount: Atomic<Int>

    /// The whole region, prepared or not.
    package let bytes: MutableByteView

    /// Below this offset, memory comes in machine pages, so that a region in which few bytes are
    /// used takes little memory.
    private static let smallByteCount = 1 << 20

    package init(byteCount: Int) throws(MemoryError) {
        let first = min(Self.smallByteCount, byteCount)
        let region = try AnonymousRegion(reserving: byteCount, open: first)
        hugeBlocks = try HugeBlocks(region.bytes)
        bytes = region.bytes
        openByteCount = Atomic(first)
        self.region = region
    }

    /// As many bytes as wished, if this process's address space is not limited.
    ///
    /// If it is limited: as many as wished, but no more than the greater of `needed` and a 128th of
    /// the limit.
    package static func affordableByteCount(_ wished: Int, needed: Int) -> Int {
        let limit = bulla_address_space_limit()
        guard limit != .max else { return wished }
        return min(max(Int(clamping: limit / 128), needed), wished)
    }

    /// Makes the bytes from `offset` up to the returned offset usable, and lets the first touch of
    /// a block bring in a huge page.
    ///
    /// Only one thread at a time may call this: first with 0, and again when the bytes in use reach
    /// the offset that the last call returned.
    ///
    /// - Returns: the offset for the next call.
    /// - Throws: ``MemoryError`` if the system has no memory; the caller can call again.
    package func prepare(_ offset: Int) throws(MemoryError) -> Int {
        guard offset >= Self.smallByteCount else { return Self.smallByteCount }
        guard offset < bytes.byteCount else { return .max }
        let blockByteCount = Int(HugeBlocks.blockByteCount)
        // SAFETY: inside the region, checked above.
        let at = unsafe bytes.base + offset
        let skipped = Int(UInt(bitPattern: at) % HugeBlocks.blockByteCount)
        let next = offset + blockByteCount - skipped
        let end = min(next, bytes.byteCount)
        try region.open(offset..<end)
        openByteCount.store(end, ordering: .relaxed)
        // A block that is already partly in use keeps its machine pages.
        if skipped == 0, let block = unsafe hugeBlocks.block(at: at) { hugeBlocks.prepare(block) }
        return next
    }

    /// Zeroes every byte; the addresses that were prepared stay readable.
    package func wipe() { region.wipe(openByteCount.load(ordering: .relaxed)) }
}
