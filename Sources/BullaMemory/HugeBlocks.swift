internal import CBullaShared
internal import Glibc

/// Gives huge pages to the heavily used parts of a region.
///
/// With huge pages, a reader of many pages waits less for walks through the machine's page tables.
/// But if the first touch of a block brings in a huge page, the kernel zeroes all of it, which
/// takes as long as opening dozens of pages. A process that reads here and there would spend most
/// of its time waiting for that. A thread that fills a whole block, for a transaction or a scan,
/// gains instead: a huge page saves it hundreds of first touches.
@safe struct HugeBlocks: ~Copyable, @unchecked Sendable {
    // `@unchecked`: the counts are atomic words.

    /// The size of a huge page on x86-64, and on AArch64 with pages of 4 KiB.
    static let blockByteCount: UInt = 2 << 20
    /// How much of a block must be filled before it becomes a huge page.
    private static let filledByteCount: UInt64 = 256 << 10

    /// The addresses of the memory's whole blocks.
    private let blocks: Range<UInt>
    /// Bytes filled so far, for each block.
    private let counts: AnonymousRegion

    init(_ bytes: MutableByteView) throws(MemoryError) {
        let start = unsafe UInt(bitPattern: bytes.base)
        let end = start + UInt(bytes.byteCount)
        let first = (start + Self.blockByteCount - 1) & ~(Self.blockByteCount - 1)
        blocks = first..<max(first, end & ~(Self.blockByteCount - 1))
        counts = try AnonymousRegion(byteCount: blocks.count / Int(Self.blockByteCount) * 8)
    }

    /// Notes that `byteCount` bytes, beginning at an address, were filled.
    ///
    /// - Returns: the block that the bytes lie in, if it should now become a huge page.
    func noteFill(_ start: UnsafeMutableRawPointer, byteCount: Int) -> Int? {
        guard let block = unsafe block(at: start) else { return nil }
        // SAFETY: there is a word for each block, and this is one.
        let filled = unsafe bulla_word_add(counts.bytes.base + block * 8, UInt64(byteCount))
        let isDue =
            filled < Self.filledByteCount && filled + UInt64(byteCount) >= Self.filledByteCount
        return isDue ? block : nil
    }

    /// The number of the block that contains an address; `nil` outside whole blocks.
    func block(at address: UnsafeMutableRawPointer) -> Int? {
        let address = UInt(bitPattern: address)
        guard blocks.contains(address) else { return nil }
        return Int((address - blocks.lowerBound) / Self.blockByteCount)
    }

    /// Lets the first touch of a block bring in a huge page, if none of it was touched before.
    func prepare(_ block: Int) {
        // SAFETY: a whole block of the region.
        unsafe _ = madvise(base(of: block), Int(Self.blockByteCount), Advice.hugePage)
    }

    /// Gives a huge page to a block that will soon be filled, unless the block got one before.
    ///
    /// Call it before anything reads untouched parts of the block. A first touch that only reads
    /// gets a shared page of zeros; the first write then replaces that page, and has to tell all
    /// processors.
    func makeReady(_ block: Int) {
        // SAFETY: there is a word for each block, and this is one.
        let count = unsafe counts.bytes.base + block * 8
        let filled = unsafe bulla_word_load_relaxed(count)
        guard filled < Self.filledByteCount else { return }
        guard unsafe bulla_word_exchange_if(count, filled, Self.readyMark) else { return }
        guard filled == 0 else { return collapse(block) }
        prepare(block)
        // A write that changes nothing brings in the page.
        if let first = unsafe base(of: block) { unsafe _ = bulla_word_add(first, 0) }
    }

    /// More bytes than a block has: a block with this count never becomes due for a huge page.
    private static let readyMark: UInt64 = 1 << 62

    /// Moves a block into a huge page, if the kernel has one.
    ///
    /// The call takes about a millisecond. If the kernel cannot move the block at once (as before
    /// Linux 6.1), the call asks it to do so later.
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
