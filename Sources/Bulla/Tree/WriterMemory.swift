internal import BullaMemory

/// The memory of a write transaction, which later transactions reuse.
final class WriterMemory: @unchecked Sendable {
    // `@unchecked`: it belongs to one transaction at a time.

    /// The changed pages, each with a ``DirtyPage`` as its label.
    ///
    /// A changed page lies in a cache frame if the cache can spare one. So after the commit,
    /// readers find the page in the cache, and the writer need not copy it there.
    let arena: PageArena
    private let pager: Pager
    /// The index of every page that this transaction has made.
    private var used: [Int] = []
    /// The names of the trees that the transaction has opened.
    var names = ByteArena()
    /// Room for a copy of a page that is being split, followed by room for a key.
    private let scratch: ScratchBuffer
    /// Sealed pages on their way to the file.
    let staging: ScratchBuffer
    private let pageByteCount: Int
    /// Room for parts of a large value; made when first needed.
    private var valueParts: ScratchBuffer?
    /// Pages that a merge has sealed, and that readers should find in the cache after the commit.
    private var merged: [MadePage] = []

    /// The maximum number of pages that a small transaction changes.
    static let smallPageCount = 256
    private static let smallNameByteCount = 1 << 20

    init(_ pager: Pager) throws(BullaError) {
        let format = pager.format
        do { arena = try PageArena(pageByteCount: format.contentByteCount) } catch {
            throw BullaError.memory("reserve memory for changed pages", error)
        }
        self.pager = pager
        pageByteCount = format.pageByteCount
        scratch = try Buffer.make(2 * format.pageByteCount)
        staging = try Buffer.make(format.pageByteCount * PageSealer.stagingPageCount)
    }

    /// Room for a page.
    var pageScratch: MutableByteView { scratch.bytes.slice(0, pageByteCount) }
    /// Room for a key.
    var keyScratch: MutableByteView { scratch.bytes.slice(pageByteCount, pageByteCount) }

    /// Room for pages of one large value at a time.
    ///
    /// - Parameter pageCount: must be the same in every call.
    func valueBuffer(pageCount: Int) throws(BullaError) -> MutableByteView {
        if let valueParts { return valueParts.bytes }
        let buffer = try Buffer.make(pageByteCount * pageCount)
        valueParts = buffer
        return buffer.bytes
    }

    /// Overwrites all of the memory with zeros.
    func wipe() {
        arena.wipe()
        names.wipe()
        scratch.wipe()
        staging.wipe()
        valueParts?.wipe()
    }

    /// Keeps a tree's name until the transaction ends.
    func keepName(_ name: ByteView) throws(BullaError) -> ByteView {
        try names.keepName(name)
    }

    /// The properties of a page of the arena.
    @inline(__always)
    func dirty(_ index: Int) -> DirtyPage { DirtyPage(label: arena.label(index)) }

    /// Makes a changed page, whose bytes are undefined, and returns its index.
    func makePage(_ page: DirtyPage) throws(BullaError) -> Int {
        let index: Int
        do throws(MemoryError) { index = try allocate() } catch {
            throw BullaError.memory("allocate a changed page", error)
        }
        arena.setLabel(page.label, of: index)
        used.append(index)
        return index
    }

    private func allocate() throws(MemoryError) -> Int {
        if let index = arena.allocateLent() { return index }
        guard let (content, frame) = pager.lendFrame() else { return try arena.allocate() }
        do throws(MemoryError) {
            return try arena.allocate(in: content, loan: frame)
        } catch {
            pager.giveBack(lent: [frame])
            throw error
        }
    }

    /// Keeps a page that a merge has sealed; copies its content to a frame if the cache can spare
    /// one.
    func keep(_ content: ByteView, as pointer: PagePointer) {
        let lent = pager.lendFrame()
        lent?.content.copy(content, to: 0)
        merged.append(MadePage(pointer: pointer, frame: lent?.frame))
    }

    /// Gives up the pages of merges, so that the caller can hand their frames to the cache.
    func giveUpMerged() -> [MadePage] {
        defer { merged = [] }
        return merged
    }

    /// Gives up a page that lies in a frame, so that the caller can hand the frame to the cache.
    ///
    /// - Returns: the frame; `nil`, with no effect, if the page lies in none.
    func giveUp(_ index: Int) -> Int? { arena.giveBack(index) }

    func free(_ index: Int) {
        var page = dirty(index)
        page.isLive = false
        arena.setLabel(page.label, of: index)
        arena.free(index)
    }

    /// Whether this has no more memory than a small transaction needs.
    var isSmall: Bool {
        arena.ownCount <= Self.smallPageCount && names.capacity <= Self.smallNameByteCount
    }

    /// How many pages the transaction has made, including freed ones.
    var usedCount: Int { used.count }

    /// Frees everything, for the next transaction.
    func freeAll() {
        freeAll(since: 0)
        pager.giveBack(lent: arena.giveBackUnused() + giveUpMerged().compactMap(\.frame))
        names.removeAll()
    }

    /// Frees the pages that were made since ``usedCount`` was `count`.
    func freeAll(since count: Int) {
        for index in used[count...] where dirty(index).isLive { free(index) }
        used.removeLast(used.count - count)
    }
}
