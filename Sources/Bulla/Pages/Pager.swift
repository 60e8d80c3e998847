internal import BullaCipher
internal import BullaMemory
internal import Synchronization

/// Finds or opens pages by their pointers.
///
/// The pager copies an encrypted page from the mapping and opens it into a frame of the cache,
/// where later lookups find it. It reads a plain page directly in the mapping. When a plain page is
/// first read, the pager verifies it against its pointer, and records that in ``VerifiedPages``.
final class Pager: Sendable {
    let file: any StorageFile
    let format: PageFormat
    let isPlain: Bool
    let ciphers: PageCiphers
    let counters = PageCounters()
    let mapping: PageMapping
    let opener: PageOpener
    let verified: VerifiedPages

    /// In a plain store the cache stays empty, and takes no memory.
    let cache: FrameCache
    /// Numbers of pages that this process's newest commit replaced, and that are still in frames.
    private let supersededLast = Mutex<[UInt64]>([])
    /// Buffers for a page on its way from the file to a frame.
    let scratch: ScratchPool
    /// Buffers that each hold several pages on their way from the file to frames.
    let runScratch: ScratchPool
    /// Buffers for values that are gathered from their pages.
    let valueBuffers = ValueBuffers()

    init(
        file: any StorageFile, ciphers: PageCiphers, cacheByteLimit: Int,
        shared: SharedFrames? = nil
    ) throws(BullaError) {
        self.file = file
        self.ciphers = ciphers
        format = ciphers.header.format
        isPlain = ciphers.header.suite == .plain
        opener = PageOpener(file: file, ciphers: ciphers, counters: counters)
        cache = try FrameCache(
            pageByteCount: format.pageByteCount, byteLimit: isPlain ? 0 : cacheByteLimit,
            shared: shared)
        scratch = ScratchPool(byteCount: format.pageByteCount)
        runScratch = ScratchPool(byteCount: RunOpener.stagedPageCount * format.pageByteCount)
        do {
            mapping = try PageMapping(of: file, format)
            verified = try VerifiedPages(format)
        } catch { throw BullaError.memory("reserve address space for \(file.path)", error) }
    }

    /// Runs a short operation, which can read pages and must not wait.
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
        try mapping.checkFaults()
        return try result.get()
    }

    /// Wipes the plaintext in frames and buffers, and removes the file from the mapping.
    func wipe() {
        cache.wipe()
        scratch.wipe()
        runScratch.wipe()
        valueBuffers.wipe()
        mapping.wipe()
    }

    /// The content of a page.
    ///
    /// The content is valid until the operation ends or opens another page, which can evict this
    /// one.
    ///
    /// - Throws: `corrupted` when the page is not what the pointer names.
    @inline(__always)
    func content(_ pointer: PagePointer, _ kind: PageKind) throws(BullaError) -> ByteView {
        if !isPlain {
            if let content = cache.content(pointer) { return content }
            return try openPage(pointer, kind)
        }
        if verified.contains(pointer), let page = mapping.mappedPage(pointer),
            verified.isVersion(page, pointer)
        {
            return page.slice(0, format.contentByteCount)
        }
        return try verifyPage(pointer, kind)
    }

    /// Throws if a plain page was overwritten while it was read.
    ///
    /// A frame of an encrypted store cannot change while it is read.
    @inline(__always)
    func checkUnchanged(_ pointer: PagePointer) throws(BullaError) {
        guard isPlain else { return }
        acquireFence()
        guard let page = mapping.mappedPage(pointer), verified.isVersion(page, pointer) else {
            throw writtenOver(pointer)
        }
    }

    @inline(never)
    private func writtenOver(_ pointer: PagePointer) -> BullaError {
        do throws(BullaError) { try mapping.checkFaults() } catch { return error }
        return pointer.defect("it was written over while it was read", .version, in: file)
    }

    /// The key epoch in which a page of an encrypted store claims to be sealed.
    ///
    /// This does not open the page, so anybody who can write to the file could have forged the
    /// epoch.
    func claimedEpoch(_ pointer: PagePointer) throws(BullaError) -> UInt32 {
        let epoch = PageCipher.epoch(of: try mapping.page(pointer))
        try mapping.checkFaults()
        return epoch
    }

    /// Starts loading a page's first cache lines, if the page is in memory.
    ///
    /// Call this inside an operation.
    @inline(__always)
    func prefetch(_ pointer: PagePointer, lineCount: Int) {
        if !isPlain { return cache.prefetch(pointer, lineCount: lineCount) }
        guard verified.contains(pointer) else { return }
        mapping.mappedPage(pointer)?.prefetch(lineCount: lineCount)
    }

    @inline(never)
    private func openPage(
        _ pointer: PagePointer, _ kind: PageKind
    ) throws(BullaError) -> ByteView {
        let frame = try Epoch.suspended { () throws(BullaError) -> Int in
            guard let frame = cache.claim(for: pointer) else {
                throw BullaError(
                    .outOfMemory,
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

    /// Copies a page's content from the cache, or opens it straight into the target.
    ///
    /// This is for a writer that is about to replace the page; filling a frame with the former
    /// version would be wasted work.
    func copy(
        _ pointer: PagePointer, _ kind: PageKind, into target: MutableByteView
    ) throws(BullaError) -> PageOrigin {
        guard !isPlain else {
            try operate { () throws(BullaError) in
                target.copy(try content(pointer, kind), to: 0)
            }
            return .memory
        }
        if let isOwn = cache.copy(pointer, into: target) { return isOwn ? .writer : .memory }
        try open(pointer, kind, into: target)
        return .file
    }

    /// Opens a page into the caller's memory, bypassing the cache.
    func open(
        _ pointer: PagePointer, _ kind: PageKind, into content: MutableByteView
    ) throws(BullaError) {
        let page = try mapping.page(pointer)
        try scratch.lend { buffer throws(BullaError) in
            buffer.copy(page, to: 0)
            try mapping.checkFaults()
            try opener.open(
                buffer.view.slice(0, format.pageByteCount), pointer, kind, into: content)
        }
    }

    func open(
        _ pointers: [PagePointer], _ kind: PageKind, into target: MutableByteView
    ) throws(BullaError) {
        try RunOpener(pager: self, kind: kind).open(pointers, into: target)
    }

    /// A frame for a page that a writer changes; `nil` in a plain store, or if the cache can spare
    /// none.
    ///
    /// Call this outside any operation.
    func lendFrame() -> (content: MutableByteView, frame: Int)? {
        guard !isPlain, let frame = cache.lend() else { return nil }
        return (cache.writableContent(frame), frame)
    }

    func giveBack(lent frames: some Collection<Int>) { cache.giveBack(lent: frames) }

    /// Keeps a newly published commit's pages in the frames in which the writer made them, so that
    /// readers need not open them again.
    ///
    /// A plain store has no frames; there, the pages are recorded as verified, so that readers need
    /// not verify them.
    ///
    /// The structure of these pages is valid, because the engine made them.
    ///
    /// - Parameters:
    ///   - superseded: numbers of the pages that `pages` replace. The cache drops the replaced
    ///     pages only with the next commit, because readers see the former commit until this one is
    ///     durable.
    ///   - atOnce: whether the cache drops the superseded pages now, rather than with the next
    ///     commit; `true` for a commit that changes or frees many pages.
    func keep(_ pages: [MadePage], superseded: [UInt64], atOnce: Bool) {
        guard !isPlain else { return pages.forEach { verified.insert($0.pointer) } }
        let former = supersededLast.withLock { last in
            defer { last = atOnce ? [] : superseded }
            return last
        }
        let lent = pages.compactMap { page in
            page.frame.map { (frame: $0, pointer: page.pointer) }
        }
        cache.publish(lent: lent, superseded: atOnce ? former + superseded : former)
    }

    @inline(never)
    private func verifyPage(
        _ pointer: PagePointer, _ kind: PageKind
    ) throws(BullaError) -> ByteView {
        let page = try mapping.page(pointer)
        do throws(BullaError) { try opener.verify(page, pointer, kind) } catch {
            try mapping.checkFaults()
            throw error
        }
        verified.insert(pointer)
        return page.slice(0, format.contentByteCount)
    }

    func defect(_ pointer: PagePointer, _ what: String) -> BullaError {
        pointer.defect(what, .structure, in: file)
    }
}

/// Counts pages opened and sealed, and bytes written: figures that do not depend on the machine.
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
