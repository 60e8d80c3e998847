internal import Glibc

/// The changed pages of a write transaction, each known by an index.
///
/// The cache lends the memory of some pages, and keeps those pages after the commit. The memory of
/// the others lies in the arena's own slabs, which stay until the arena goes away. No core dump
/// holds the pages. Every change looks several times at pages and at their labels (words that the
/// owner attaches). So both are found by addresses alone, in memory where Swift makes no
/// exclusivity checks.
@usableFromInline @safe package final class PageArena: @unchecked Sendable {
    // `@unchecked`: used by one writer at a time.

    @usableFromInline static let blockEntryCount = 256
    /// Enough blocks for 64 GiB of the smallest pages.
    @usableFromInline static let blockLimit = 1 << 16

    /// What the arena knows about a page.
    @usableFromInline struct Entry: BitwiseCopyable {
        /// Where its bytes are; 0 if it has none.
        @usableFromInline var address: UInt
        @usableFromInline var label: UInt64
        /// One more than the lender's number for the memory; 0 for memory of the arena's own.
        var loan: Int
    }

    @usableFromInline let pageByteCount: Int
    /// The address of each possible block of entries; 0 if the block does not exist.
    ///
    /// This list lies on the ordinary heap, like the blocks, so a forked child has it, too. The
    /// child must find the pages' addresses, though the pages themselves are empty there.
    @usableFromInline let blocks: UnsafeMutablePointer<UInt>
    private var blockCount = 0
    private var slabs: [AnonymousRegion.Owner] = []
    /// The indices of unused pages, in three lists: for pages with the arena's own memory, for
    /// pages with a loan, and for pages without memory.
    private var unused: [Int] = []
    private var unusedLoans: [Int] = []
    private var vacant: [Int] = []

    package init(pageByteCount: Int) throws(MemoryError) {
        self.pageByteCount = pageByteCount
        // Zeros that take no memory until they are touched.
        unsafe blocks = try unsafe Self.zeros(Self.blockLimit, of: UInt.self)
    }

    deinit {
        // SAFETY: allocated here, freed once.
        for number in 0..<blockCount {
            unsafe Glibc.free(UnsafeMutableRawPointer(bitPattern: blocks[number]))
        }
        unsafe Glibc.free(blocks)
    }

    /// How many pages are in use.
    package private(set) var count = 0

    /// Every index is below this.
    package var capacity: Int { blockCount * Self.blockEntryCount }

    /// How many pages, in use or not, have the arena's own memory.
    package private(set) var ownCount = 0

    /// A new page in the lent memory of a freed page; `nil` if there is no such memory.
    ///
    /// Its content is undefined.
    package func allocateLent() -> Int? {
        guard let index = unusedLoans.popLast() else { return nil }
        count += 1
        return index
    }

    /// A page in memory that the caller lends.
    ///
    /// - Parameter loan: the caller's number for this memory, 0 or more; ``giveBack(_:)`` and
    ///   ``giveBackUnused()`` return it.
    package func allocate(in page: MutableByteView, loan: Int) throws(MemoryError) -> Int {
        precondition(loan >= 0 && page.byteCount >= pageByteCount, "a loan has a name, and room")
        if vacant.isEmpty { try addBlock() }
        let index = vacant.removeLast()
        unsafe entry(index).pointee.address = unsafe UInt(bitPattern: page.base)
        unsafe entry(index).pointee.loan = loan + 1
        count += 1
        return index
    }

    /// A page in memory of the arena's own.
    package func allocate() throws(MemoryError) -> Int {
        if unused.isEmpty { try addSlab() }
        count += 1
        return unused.removeLast()
    }

    /// Frees a page; its memory serves later pages of this transaction.
    package func free(_ index: Int) {
        count -= 1
        if unsafe entry(index).pointee.loan == 0 {
            unused.append(index)
        } else {
            unusedLoans.append(index)
        }
    }

    /// Frees a page and gives back its memory, if that memory is a loan.
    ///
    /// - Returns: the number of the loan; `nil`, with no effect, if the memory is the arena's own.
    package func giveBack(_ index: Int) -> Int? {
        guard let loan = takeLoan(index) else { return nil }
        count -= 1
        return loan
    }

    private func takeLoan(_ index: Int) -> Int? {
        let loan = unsafe entry(index).pointee.loan
        guard loan != 0 else { return nil }
        unsafe entry(index).pointee = Entry(address: 0, label: 0, loan: 0)
        vacant.append(index)
        return loan - 1
    }

    /// Gives back the loans that no page uses, and returns their numbers.
    package func giveBackUnused() -> [Int] {
        defer { unusedLoans.removeAll(keepingCapacity: true) }
        return unusedLoans.compactMap { takeLoan($0) }
    }

    @inlinable @inline(__always)
    package func page(_ index: Int) -> MutableByteView {
        let address = unsafe entry(index).pointee.address
        // SAFETY: while the index is in use, a lender or a slab keeps that many bytes for it.
        guard let base = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
            preconditionFailure("a changed page has memory")
        }
        return unsafe MutableByteView(base: base, byteCount: pageByteCount)
    }

    /// A word that the owner attaches to a page; 0 at first.
    @inlinable @inline(__always)
    package func label(_ index: Int) -> UInt64 { unsafe entry(index).pointee.label }

    @inlinable @inline(__always)
    package func setLabel(_ label: UInt64, of index: Int) {
        unsafe entry(index).pointee.label = label
    }

    @inlinable @inline(__always)
    func entry(_ index: Int) -> UnsafeMutablePointer<Entry> {
        let number = index / Self.blockEntryCount
        precondition(index >= 0 && number < Self.blockLimit, "a changed page has a number")
        // SAFETY: inside the list of addresses, checked above; an address stays valid until deinit.
        guard let block = unsafe UnsafeMutablePointer<Entry>(bitPattern: blocks[number]) else {
            preconditionFailure("a changed page exists")
        }
        // SAFETY: a block has room for each of its entries.
        return unsafe block + index % Self.blockEntryCount
    }

    /// Zeroes all pages of the arena's own.
    package func wipe() {
        for slab in slabs { slab.region.wipe() }
    }

    private func addBlock() throws(MemoryError) {
        guard blockCount < Self.blockLimit else { throw MemoryError(errno: ENOMEM) }
        let block = try unsafe Self.zeros(Self.blockEntryCount, of: Entry.self)
        let first = capacity
        // SAFETY: inside the list, checked above.
        unsafe blocks[blockCount] = UInt(bitPattern: block)
        blockCount += 1
        vacant.append(contentsOf: (first..<first + Self.blockEntryCount).reversed())
    }

    /// Takes memory for more pages: a little at first, and huge pages for a transaction that has
    /// filled 1 MiB.
    ///
    /// Huge pages save such a transaction hundreds of first touches.
    private func addSlab() throws(MemoryError) {
        let smallByteCount = pageByteCount * Self.blockEntryCount
        let isLarge = ownCount * pageByteCount > Self.smallByteLimit
        let slab = try AnonymousRegion.Owner(
            byteCount: isLarge ? max(smallByteCount, Self.largeSlabByteCount) : smallByteCount,
            inHugePages: isLarge)
        let count = slab.bytes.byteCount / pageByteCount
        while vacant.count < count { try addBlock() }
        for place in (0..<count).reversed() {
            let index = vacant.removeLast()
            // SAFETY: inside the slab.
            let base = unsafe slab.bytes.base + place * pageByteCount
            unsafe entry(index).pointee.address = UInt(bitPattern: base)
            unused.append(index)
        }
        slabs.append(slab)
        ownCount += count
    }

    private static let smallByteLimit = 1 << 20
    private static let largeSlabByteCount = 4 << 20

    private static func zeros<T: BitwiseCopyable>(
        _ count: Int, of type: T.Type
    ) throws(MemoryError) -> UnsafeMutablePointer<T> {
        guard let memory = unsafe calloc(count, MemoryLayout<T>.stride) else {
            throw MemoryError(errno: ENOMEM)
        }
        // SAFETY: aligned for any type, and long enough; all zeros are a valid value of each type
        // used here.
        return unsafe memory.bindMemory(to: type, capacity: count)
    }
}

extension AnonymousRegion {
    /// Holds a region for an array, which cannot hold a noncopyable value itself.
    fileprivate final class Owner {
        let region: AnonymousRegion
        /// The part of the region to be used.
        let bytes: MutableByteView

        /// - Parameter inHugePages: whether the first touch of a block should bring in a huge page.
        init(byteCount: Int, inHugePages: Bool) throws(MemoryError) {
            let block = Int(HugeBlocks.blockByteCount)
            region = try AnonymousRegion(byteCount: byteCount + (inHugePages ? block : 0))
            guard inHugePages else {
                bytes = region.bytes
                return
            }
            let start = unsafe UInt(bitPattern: region.bytes.base)
            let skipped = Int(
                (HugeBlocks.blockByteCount - start % HugeBlocks.blockByteCount)
                    % HugeBlocks.blockByteCount)
            bytes = region.bytes.slice(skipped, byteCount)
            // SAFETY: inside the region; advice that the kernel refuses has no effect.
            unsafe _ = madvise(bytes.base, byteCount / block * block, Advice.hugePage)
        }
    }
}

/// One buffer, in memory that stays out of core dumps.
package final class ScratchBuffer: @unchecked Sendable {
    // `@unchecked`: the owner lends it to one user at a time.

    private let region: AnonymousRegion

    package init(byteCount: Int) throws(MemoryError) {
        region = try AnonymousRegion(byteCount: byteCount)
    }

    package var bytes: MutableByteView { region.bytes }

    /// Zeroes its bytes.
    package func wipe() { region.wipe() }
}
