internal import CBullaShared
internal import Synchronization

/// Address space for as much as may come to be needed; memory comes as it is prepared and touched.
///
/// What lies in it never moves. It is kept out of core dumps, is empty in a forked child, and goes
/// back to the system with the region.
@safe package struct ReservedRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: who may write where is the owner's protocol.

    private let region: AnonymousRegion
    private let hugeBlocks: HugeBlocks
    /// Bytes that may be looked at: the first ones.
    private let openByteCount: Atomic<Int>

    /// The whole of it, prepared or not.
    package let bytes: MutableByteView

    /// Below it memory comes in the machine's pages: a small owner takes little.
    private static let smallByteCount = 1 << 20

    package init(byteCount: Int) throws(MemoryError) {
        let first = min(Self.smallByteCount, byteCount)
        let region = try AnonymousRegion(reserving: byteCount, open: first)
        hugeBlocks = try HugeBlocks(region)
        bytes = region.bytes
        openByteCount = Atomic(first)
        self.region = region
    }

    /// As many bytes as wished where this process's address space is not limited; otherwise a 128th
    /// of the limit at most, but no less than what is needed.
    package static func affordableByteCount(_ wished: Int, needed: Int) -> Int {
        let limit = bulla_address_space_limit()
        guard limit != .max else { return wished }
        return min(max(Int(clamping: limit / 128), needed), wished)
    }

    /// Lets bytes from `offset` on be used, and the first touch of a block bring many pages.
    ///
    /// To be called by one thread at a time, when the bytes in use reach an offset that it gave; 0
    /// at first.
    ///
    /// - Returns: the offset at which to call it next.
    /// - Throws: ``MemoryError`` when the system has no memory; to be called again then.
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
        // A block that was begun already stays as it is.
        if skipped == 0, let block = unsafe hugeBlocks.block(at: at) { hugeBlocks.prepare(block) }
        return next
    }

    /// Makes every byte zero; the addresses that were prepared stay readable.
    package func wipe() { region.wipe(openByteCount.load(ordering: .relaxed)) }
}
