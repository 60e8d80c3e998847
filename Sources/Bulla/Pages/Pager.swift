internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Gives opened pages by their pointers.
///
/// An encrypted page is copied from the mapping, opened into a frame, and found there afterwards. A
/// plain page is read where it lies in the mapping; that it is what its pointer names is verified
/// at the first touch, and remembered in a word.
final class Pager: Sendable {
    let file: any StorageFile
    let format: PageFormat
    let isPlain: Bool
    let ciphers: PageCiphers
    let counters = PageCounters()

    private let window: MappedWindow
    private let mapping = Mutex(())
    /// Of a plain store it stays empty, and takes no memory.
    private let cache: FrameCache
    private let verified: WordTable
    /// Numbers of pages that the newest commit of this process has replaced, and that lie in frames
    /// yet.
    private let supersededLast = Mutex<[UInt64]>([])
    /// For a page on its way between file and frame.
    let scratch: ScratchPool
    /// For pages in a row.
    let runScratch: ScratchPool
    /// For a value that is gathered from its pages.
    let valueBuffers = ValueBuffers()
    /// Up to it the pages of a value are kept in the cache, as a tree's are.
    static let cachedValueByteLimit = 64 << 10
    private let faultsAtOpening: UInt64
    /// Where a plain page says which version it is.
    private let checkOffset: Int
    /// How long the file was when it was last looked at.
    private let knownByteCount = Atomic<UInt64>(0)

    init(
        file: any StorageFile, ciphers: PageCiphers, cacheByteLimit: Int
    ) throws(BullaError) {
        self.file = file
        self.ciphers = ciphers
        format = ciphers.header.format
        checkOffset = format.contentByteCount + TrailerField.tag.offset
        isPlain = ciphers.header.suite == .plain
        cache = try FrameCache(
            pageByteCount: format.pageByteCount, byteLimit: isPlain ? 0 : cacheByteLimit)
        scratch = ScratchPool(byteCount: format.pageByteCount)
        runScratch = ScratchPool(byteCount: Self.stagedPageCount * format.pageByteCount)
        do {
            window = try MappedWindow()
            verified = try WordTable()
        } catch { throw BullaError.memory("reserve address space for \(file.path)", error) }
        faultsAtOpening = FileMapping.faultCount
    }

    /// Runs a short operation, which may look at pages and must not wait.
    @inline(__always)
    func operate<R: ~Copyable>(
        _ body: () throws(BullaError) -> R
    ) throws(BullaError) -> R {
        guard isPlain else {
            Epoch.enter()
            defer { Epoch.leave() }
            return try body()
        }
        let result = Result { () throws(BullaError) in try body() }
        try checkFaults()
        return try result.get()
    }

    /// What was read in a mapping is believed only when no touch of it was answered with zeros.
    @inline(__always)
    func checkFaults() throws(BullaError) {
        if FileMapping.faultCount != faultsAtOpening { try lookForFaults() }
    }

    @inline(never)
    private func lookForFaults() throws(BullaError) {
        guard hasFaulted else { return }
        throw BullaError(
            .corrupted, "read \(file.path): the file was cut short while it was open; open it again"
        )
    }

    /// Leaves no plaintext in frames and buffers, and nothing of the file in the mapping.
    ///
    /// Addresses stay readable, and read as zeros: a look that comes late finds nothing.
    func wipe() {
        cache.wipe()
        scratch.wipe()
        runScratch.wipe()
        valueBuffers.wipe()
        mapping.withLock { _ in window.wipe() }
    }

    /// Whether a touch of this store's mapping was answered with zeros.
    var hasFaulted: Bool { mapping.withLock { _ in window.hasFaulted } }

    /// The content of a page, valid while the operation lasts.
    ///
    /// - Throws: `corrupted` when the page is not what the pointer names.
    @inline(__always)
    func content(_ pointer: PagePointer, _ kind: PageKind) throws(BullaError) -> ByteView {
        if !isPlain {
            if let content = cache.content(pointer) { return content }
            return try openPage(pointer, kind)
        }
        if verified.load(pointer.number) == pointer.check | 1,
            let page = window.page(
                at: format.offset(pointer.number), byteCount: format.pageByteCount),
            isVersion(page, pointer)
        {
            return page.slice(0, format.contentByteCount)
        }
        return try verifyPage(pointer, kind)
    }

    /// Whether a plain page says that it is the version which a pointer names.
    ///
    /// It was verified before; but it lies in the mapping, where others write once a page is free.
    @inline(__always)
    private func isVersion(_ page: ByteView, _ pointer: PagePointer) -> Bool {
        page.loadShared(at: checkOffset) == pointer.check
    }

    /// Refuses what was read in a plain page that has been written over meanwhile.
    ///
    /// What is read in a frame of an encrypted store cannot change.
    @inline(__always)
    func checkUnchanged(_ pointer: PagePointer) throws(BullaError) {
        guard isPlain else { return }
        acquireFence()
        let offset = format.offset(pointer.number)
        guard let page = window.page(at: offset, byteCount: format.pageByteCount),
            isVersion(page, pointer)
        else { throw writtenOver(pointer) }
    }

    @inline(never)
    private func writtenOver(_ pointer: PagePointer) -> BullaError {
        do throws(BullaError) { try checkFaults() } catch { return error }
        return defect(pointer, "it was written over while it was read", .version)
    }

    /// The key epoch that a page of an encrypted store claims to lie under.
    ///
    /// Nothing is opened: whoever can write to the file can have written it.
    func claimedEpoch(_ pointer: PagePointer) throws(BullaError) -> UInt32 {
        let epoch = PageCipher.epoch(of: try mapped(pointer))
        try checkFaults()
        return epoch
    }

    /// Begins to load a page's first bytes, if it is in memory.
    ///
    /// To be called in an operation.
    @inline(__always)
    func prefetch(_ pointer: PagePointer) {
        if !isPlain { return cache.prefetch(pointer) }
        guard verified.load(pointer.number) == pointer.check | 1 else { return }
        window.page(at: format.offset(pointer.number), byteCount: format.pageByteCount)?
            .prefetch(lineCount: 4)
    }

    @inline(never)
    private func openPage(
        _ pointer: PagePointer, _ kind: PageKind
    ) throws(BullaError) -> ByteView {
        let frame = try Epoch.suspended { () throws(BullaError) -> Int in
            guard let frame = cache.claim(for: pointer) else {
                throw BullaError(
                    .full,
                    "open page \(pointer.number) of \(file.path): cursors use the whole cache")
            }
            do throws(BullaError) {
                try open(pointer, kind, into: cache.writableContent(frame))
            } catch {
                cache.giveBack(frame)
                throw error
            }
            return frame
        }
        return cache.publish(frame, pointer)
    }

    /// Copies a page's content where the cache has it, and otherwise opens it right there.
    ///
    /// For a writer, whose changed page takes the place of this one: a frame would be filled in
    /// vain.
    ///
    /// - Returns: whether the structure of what was copied is known to be valid.
    func copy(
        _ pointer: PagePointer, _ kind: PageKind, into target: MutableByteView
    ) throws(BullaError) -> Bool {
        guard !isPlain else {
            try operate { () throws(BullaError) in
                target.copy(try content(pointer, kind), to: 0)
            }
            return false
        }
        if let isOwn = cache.copy(pointer, into: target) { return isOwn }
        try open(pointer, kind, into: target)
        return false
    }

    /// Opens a page into memory of the caller's, past the cache.
    func open(
        _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError) {
        let page = try mapped(pointer)
        try scratch.lend { buffer throws(BullaError) in
            buffer.copy(page, to: 0)
            try checkFaults()
            try open(
                sealed: buffer.view.slice(0, format.pageByteCount), pointer, kind, into: content)
        }
    }

    /// Opens a page whose bytes the caller has.
    func open(
        sealed: ByteView, _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError) {
        let epoch = claimedEpoch(of: sealed)
        do throws(CipherError) {
            let cipher = try self.cipher(epoch, pointer)
            let context = context(pointer, kind, epoch)
            try cipher.open(
                sealed, into: content, context: context, check: check(of: pointer, in: sealed))
        } catch { throw failure(pointer, error) }
        counters.countOpened(1)
    }

    func claimedEpoch(of sealed: ByteView) -> UInt32 {
        isPlain ? 0 : PageCipher.epoch(of: sealed)
    }

    /// What a page must have to be the version that its pointer names.
    func check(of pointer: PagePointer, in sealed: ByteView) -> UInt64 {
        let isOwn = PlantedBug.isPlanted(.checkIgnored)
        return isOwn ? PageCipher.check(of: sealed) : pointer.check
    }

    /// Memory for a page that a writer changes: a frame, where the cache can spare one.
    ///
    /// To be called outside any operation.
    func lendFrame() -> (content: MutableByteView, frame: Int)? {
        guard !isPlain, let frame = cache.lend() else { return nil }
        return (cache.writableContent(frame), frame)
    }

    func giveBack(lent frames: some Collection<Int>) { cache.giveBack(lent: frames) }

    /// Keeps the pages of a commit that was just published where the writer has made them, so that
    /// reading them need not open them again.
    ///
    /// Their structure is valid: the engine has made them.
    ///
    /// - Parameters:
    ///   - superseded: numbers of the pages that they replace. Those that the commit before has
    ///     replaced are forgotten: until a commit is durable, readers see the one before.
    ///   - atOnce: whether these are forgotten too, since there are many.
    func keep(
        lent pages: [(frame: Int, pointer: PagePointer)], superseded: [UInt64], atOnce: Bool
    ) {
        let former = supersededLast.withLock { last in
            defer { last = atOnce ? [] : superseded }
            return last
        }
        cache.publish(lent: pages, superseded: atOnce ? former + superseded : former)
    }

    /// Remembers that a plain page, which this process has made, is what its pointer names.
    func markVerified(_ pointer: PagePointer) {
        verified.store(pointer.check | 1, at: pointer.number)
    }

    @inline(never)
    private func verifyPage(
        _ pointer: PagePointer, _ kind: PageKind
    ) throws(BullaError) -> ByteView {
        let page = try mapped(pointer)
        do throws(CipherError) {
            try cipher(0, pointer)
                .verify(page, context: context(pointer, kind, 0), check: pointer.check)
        } catch {
            try checkFaults()
            throw failure(pointer, error)
        }
        verified.store(pointer.check | 1, at: pointer.number)
        counters.countOpened(1)
        return page.slice(0, format.contentByteCount)
    }

    func cipher(_ epoch: UInt32, _ pointer: PagePointer) throws(CipherError) -> PageCipher {
        do throws(BullaError) { return try ciphers.cipher(epoch: epoch) } catch {
            throw CipherError(error.code == .corrupted ? .badTag : .library)
        }
    }

    func context(_ pointer: PagePointer, _ kind: PageKind, _ epoch: UInt32) -> PageContext {
        PageContext(
            pageNumber: pointer.number, birth: pointer.birth, epoch: epoch, kind: kind.rawValue)
    }

    func failure(_ pointer: PagePointer, _ error: CipherError) -> BullaError {
        switch error.code {
        case .badTag:
            defect(pointer, isPlain ? "checksum does not match" : "tag does not match", .page)
        case .staleCheck: defect(pointer, "it is not the version that its parent names", .version)
        default: .cipher("open page \(pointer.number) of \(file.path)", error)
        }
    }

    func defect(_ pointer: PagePointer, _ what: String) -> BullaError {
        defect(pointer, what, .structure)
    }

    private func defect(
        _ pointer: PagePointer, _ what: String, _ kind: StoreDefect.Kind
    ) -> BullaError {
        BullaError(
            .corrupted,
            "open page \(pointer.number) of \(file.path) from commit \(pointer.birth): \(what)",
            page: pointer.number, commit: pointer.birth, defect: kind)
    }

    /// The page's bytes in the mapping: of everyone, and possibly changing.
    func mapped(_ pointer: PagePointer) throws(BullaError) -> ByteView {
        try checkNumber(pointer)
        let offset = format.offset(pointer.number)
        if let page = window.page(at: offset, byteCount: format.pageByteCount) { return page }
        try mapSegment(offset)
        guard let page = window.page(at: offset, byteCount: format.pageByteCount) else {
            throw defect(pointer, "it lies beyond what can be mapped", .missing)
        }
        return page
    }

    /// Whether the file has such a page: a touch of the mapping past its end would be a fault.
    func checkNumber(_ pointer: PagePointer) throws(BullaError) {
        guard pointer.number >= format.firstPage, pointer.number < WordTable.wordCountLimit,
            try isInside(format.offset(pointer.number) + UInt64(format.pageByteCount))
        else { throw defect(pointer, "the file has no such page", .missing) }
    }

    private func isInside(_ end: UInt64) throws(BullaError) -> Bool {
        if end <= knownByteCount.load(ordering: .relaxed) { return true }
        let byteCount = try file.byteCount()
        knownByteCount.store(byteCount, ordering: .relaxed)
        return end <= byteCount
    }

    private func mapSegment(_ offset: UInt64) throws(BullaError) {
        let segment = offset / UInt64(MappedWindow.segmentByteCount)
        let start = segment * UInt64(MappedWindow.segmentByteCount)
        guard segment < MappedWindow.segmentCountLimit else { return }
        try mapping.withLock { _ throws(BullaError) in
            guard window.page(at: offset, byteCount: format.pageByteCount) == nil else { return }
            do throws(BullaError) {
                window.add(
                    try file.map(
                        at: start, byteCount: MappedWindow.segmentByteCount, isWritable: false),
                    segment: segment)
            } catch {
                guard error.code == .outOfMemory else { throw error }
                try mapPart(offset)
            }
        }
    }

    /// Maps less where address space is short, as under `ulimit -v`.
    private func mapPart(_ offset: UInt64) throws(BullaError) {
        let byteCount = MappedWindow.partByteCount
        let start = offset / UInt64(byteCount) * UInt64(byteCount)
        window.add(
            try file.map(at: start, byteCount: byteCount, isWritable: false), partAt: start)
    }
}

/// How many pages were opened and sealed: counts that do not depend on the machine.
final class PageCounters: Sendable {
    private let opened = Atomic<UInt64>(0)
    private let sealed = Atomic<UInt64>(0)
    private let written = Atomic<UInt64>(0)

    func countOpened(_ pages: Int) { opened.wrappingAdd(UInt64(pages), ordering: .relaxed) }
    func countSealed(_ pages: Int, byteCount: Int) {
        sealed.wrappingAdd(UInt64(pages), ordering: .relaxed)
        written.wrappingAdd(UInt64(byteCount), ordering: .relaxed)
    }
    var openedPageCount: UInt64 { opened.load(ordering: .relaxed) }
    var sealedPageCount: UInt64 { sealed.load(ordering: .relaxed) }
    var writtenByteCount: UInt64 { written.load(ordering: .relaxed) }
}
