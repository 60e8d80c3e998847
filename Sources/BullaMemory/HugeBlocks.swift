internal import CBullaShared
internal import Glibc

/// Gives a region huge pages where much of it has come into use.
///
/// Huge pages spare a reader of many pages the walks through the machine's page tables. But one
/// that comes with the first touch is zeroed as a whole then, which takes as long as the opening of
/// dozens of pages: a process that reads here and there would wait for little else. A writer that
/// is about to fill a whole block is spared hundreds of first touches by it.
@safe struct HugeBlocks: ~Copyable, @unchecked Sendable {
    // `@unchecked`: the counts are atomic words.

    /// A huge page of x86-64, and of AArch64 with pages of 4 KiB.
    static let blockByteCount: UInt = 2 << 20
    /// How much of a block must have been filled.
    private static let filledByteCount: UInt64 = 256 << 10

    /// The addresses of the region's whole blocks.
    private let blocks: Range<UInt>
    /// Bytes filled so far, for each block.
    private let counts: AnonymousRegion

    init(_ region: borrowing AnonymousRegion) throws(MemoryError) {
        let start = unsafe UInt(bitPattern: region.bytes.base)
        let end = start + UInt(region.bytes.byteCount)
        let first = (start + Self.blockByteCount - 1) & ~(Self.blockByteCount - 1)
        blocks = first..<max(first, end & ~(Self.blockByteCount - 1))
        counts = try AnonymousRegion(byteCount: blocks.count / Int(Self.blockByteCount) * 8)
    }

    /// Notes that so many bytes were filled from an address on.
    ///
    /// - Returns: the block that they lie in, once: when it is worth a huge page.
    func noteFill(_ start: UnsafeMutableRawPointer, byteCount: Int) -> Int? {
        guard let block = unsafe block(at: start) else { return nil }
        // SAFETY: a word for each block, of which this is one.
        let filled = unsafe bulla_word_add(counts.bytes.base + block * 8, UInt64(byteCount))
        let isDue =
            filled < Self.filledByteCount && filled + UInt64(byteCount) >= Self.filledByteCount
        return isDue ? block : nil
    }

    /// The number of the block that an address lies in; `nil` outside of whole ones.
    func block(at address: UnsafeMutableRawPointer) -> Int? {
        let address = UInt(bitPattern: address)
        guard blocks.contains(address) else { return nil }
        return Int((address - blocks.lowerBound) / Self.blockByteCount)
    }

    /// Lets the first touch of a block bring a huge page, where nothing of it was touched before.
    func prepare(_ block: Int) {
        // SAFETY: a whole block of the region.
        unsafe _ = madvise(base(of: block), Int(Self.blockByteCount), Advice.hugePage)
    }

    /// Gives a huge page to a block that somebody is about to fill, unless it is due for one.
    ///
    /// To be called before a look at what of the block was never touched: a first touch that only
    /// reads is given a page of zeros to share, and the write after it has to tell all processors
    /// that this has changed.
    func makeReady(_ block: Int) {
        // SAFETY: a word for each block, of which this is one.
        let count = unsafe counts.bytes.base + block * 8
        let filled = unsafe bulla_word_load_relaxed(count)
        guard filled < Self.filledByteCount else { return }
        unsafe _ = bulla_word_add(count, Self.readyMark)
        guard filled == 0 else { return collapse(block) }
        prepare(block)
        // A write that changes nothing brings the page.
        if let first = unsafe base(of: block) { unsafe _ = bulla_word_add(first, 0) }
    }

    /// More bytes than a block has: it is not due for a huge page any more.
    private static let readyMark: UInt64 = 1 << 62

    /// Moves a block into a huge page, if the kernel has one.
    ///
    /// Takes about a millisecond. A kernel before 6.1 cannot do it at once, and is asked to do it
    /// when it comes by.
    func collapse(_ block: Int) {
        // SAFETY: a whole block of the region; its content does not change.
        guard unsafe madvise(base(of: block), Int(Self.blockByteCount), Advice.collapse) != 0 else {
            return
        }
        prepare(block)
    }

    private func base(of block: Int) -> UnsafeMutableRawPointer? {
        precondition(
            UInt(bitPattern: block) < UInt(blocks.count) / Self.blockByteCount, "a block exists")
        return unsafe UnsafeMutableRawPointer(
            bitPattern: blocks.lowerBound + UInt(block) * Self.blockByteCount)
    }
}
