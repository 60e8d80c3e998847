/// Address space for as much as may come to be needed; memory comes with the first touch.
///
/// What lies in it never moves. It is kept out of core dumps, is empty in a forked child, and goes
/// back to the system with the region.
@safe package struct ReservedRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: who may write where is the owner's protocol.

    private let region: AnonymousRegion
    private let hugeBlocks: HugeBlocks

    /// The whole of it, touched or not.
    package let bytes: MutableByteView

    /// Below it memory comes in the machine's pages: a small owner takes little.
    private static let smallByteCount = 1 << 20

    package init(byteCount: Int) throws(MemoryError) {
        let region = try AnonymousRegion(byteCount: byteCount, isLarge: true)
        hugeBlocks = try HugeBlocks(region)
        bytes = region.bytes
        self.region = region
    }

    /// Sees to it that the first touch of a block from `offset` on brings many pages at once.
    ///
    /// To be called when the bytes in use reach an offset that it gave; 0 at first.
    ///
    /// - Returns: the offset at which to call it next.
    package func prepare(_ offset: Int) -> Int {
        guard offset >= Self.smallByteCount else { return Self.smallByteCount }
        let blockByteCount = Int(HugeBlocks.blockByteCount)
        guard offset < bytes.byteCount else { return .max }
        // SAFETY: inside the region, checked above.
        let address = unsafe UInt(bitPattern: bytes.base) + UInt(offset)
        let skipped = Int(address % HugeBlocks.blockByteCount)
        // A block that was begun already stays as it is.
        guard skipped == 0 else { return offset + blockByteCount - skipped }
        let at = unsafe bytes.base + offset
        if let block = unsafe hugeBlocks.block(at: at) { hugeBlocks.prepare(block) }
        return offset + blockByteCount
    }

    /// Makes every byte zero; the addresses stay readable.
    package func wipe() { region.wipe() }
}
