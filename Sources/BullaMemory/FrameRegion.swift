public import CBullaShared

/// Frames for opened pages: each is one page long, with its identity in the first 32 bytes and the
/// content in the rest.
///
///     offset  bytes  field
///          0      8  page number; 0, which is no tree's page, if the frame is empty; a random word
///                    that no file can guess, while a writer has the frame
///          8      8  check: which version of that page
///         16      8  mark: 1 if a thread looked at the page since the evictor last passed, 0 if
///                    not, 2 if none has looked at it since this process made it
///         24      8  how often threads looked at the page while it was not in its home frame; bit
///                    63: this process made the page; bit 62: the frame has held a page before
///         32      -  content
///
/// A sealed page ends in a trailer of 32 bytes, so a frame is as long as a page.
@usableFromInline @safe package struct FrameRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: identities are atomic words; content is written before a frame is published.

    @usableFromInline package static let identityByteCount = 32

    private let region: AnonymousRegion
    private let hugeBlocks: HugeBlocks
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let frameByteCount: Int
    @usableFromInline package let frameCount: Int
    /// 2^64 divided by the number of frames, rounded up.
    @usableFromInline let reciprocal: UInt64

    package init(frameByteCount: Int, frameCount: Int) throws(MemoryError) {
        precondition(frameByteCount >= 4096 && frameCount > 1, "frames have a size and a number")
        let region = try AnonymousRegion(byteCount: frameByteCount * frameCount, isLarge: true)
        hugeBlocks = try HugeBlocks(region)
        self.region = region
        unsafe base = unsafe self.region.bytes.base
        self.frameByteCount = frameByteCount
        self.frameCount = frameCount
        reciprocal = UInt64.max / UInt64(frameCount) + 1
    }

    @inlinable @inline(__always)
    func address(_ frame: Int) -> UnsafeMutableRawPointer {
        precondition(UInt(bitPattern: frame) < UInt(bitPattern: frameCount), "a frame exists")
        // SAFETY: inside the region, checked above.
        return unsafe base + frame * frameByteCount
    }

    /// The frame that a page goes to if it is free: the page's number modulo the number of frames.
    ///
    /// A lookup that finds the page there need not wait for the page table. The remainder is
    /// computed without a division: D. Lemire, O. Kaser, N. Kurz, "Faster remainder by direct
    /// computation", 2019. It is exact for numbers below 2^32; for all others it still gives a
    /// frame that exists.
    @inlinable @inline(__always)
    package func home(_ number: UInt64) -> Int {
        Int((reciprocal &* number).multipliedFullWidth(by: UInt64(frameCount)).high)
    }

    /// The content of a page's home frame, if that holds this version of this page.
    @inlinable @inline(__always)
    package func contentAtHome(number: UInt64, check: UInt64) -> ByteView? {
        unsafe content(at: address(home(number)), number: number, check: check)
    }

    /// Whether a page's home frame holds this version of this page; leaves no mark.
    @inlinable @inline(__always)
    package func isAtHome(number: UInt64, check: UInt64) -> Bool {
        unsafe peek(at: address(home(number)), number: number, check: check) != nil
    }

    /// The content of a named frame, if that holds this version of this page.
    ///
    /// A name is the frame's address. It must come from ``name(_:)``, through memory that only this
    /// process writes.
    @inlinable @inline(__always)
    package func content(named name: UInt64, number: UInt64, check: UInt64) -> ByteView? {
        guard let at = unsafe UnsafeMutableRawPointer(bitPattern: UInt(name)) else { return nil }
        return unsafe content(at: at, number: number, check: check)
    }

    /// As ``content(named:number:check:)``, but leaves no mark.
    package func peek(named name: UInt64, number: UInt64, check: UInt64) -> ByteView? {
        guard let at = unsafe UnsafeMutableRawPointer(bitPattern: UInt(name)) else { return nil }
        return unsafe peek(at: at, number: number, check: check)
    }

    @inlinable @inline(__always)
    func content(
        at frame: UnsafeMutableRawPointer, number: UInt64, check: UInt64
    ) -> ByteView? {
        guard let content = unsafe peek(at: frame, number: number, check: check) else { return nil }
        // Written only when it changes, so that readers of a hot frame share its cache line.
        if unsafe bulla_word_load_relaxed(frame + 16) != FrameMark.seen {
            unsafe bulla_word_store_relaxed(frame + 16, FrameMark.seen)
        }
        return content
    }

    @inlinable @inline(__always)
    func peek(at frame: UnsafeMutableRawPointer, number: UInt64, check: UInt64) -> ByteView? {
        guard unsafe bulla_word_load_acquire(frame) == number,
            unsafe bulla_word_load_relaxed(frame + 8) == check
        else { return nil }
        return unsafe ByteView(
            base: frame + Self.identityByteCount,
            byteCount: frameByteCount - Self.identityByteCount)
    }

    /// Begins to load the first cache lines of a page's home frame.
    @inlinable @inline(__always)
    package func prefetchHome(number: UInt64, lineCount: Int) {
        unsafe ByteView(base: address(home(number)), byteCount: frameByteCount)
            .prefetch(lineCount: lineCount)
    }

    /// The number of a named frame.
    package func frame(named name: UInt64) -> Int {
        unsafe (Int(name) - Int(bitPattern: base)) / frameByteCount
    }

    /// Where a cache miss puts the page that it opened.
    package func writableContent(_ frame: Int) -> MutableByteView {
        unsafe MutableByteView(
            base: address(frame) + Self.identityByteCount,
            byteCount: frameByteCount - Self.identityByteCount)
    }

    /// Gives a frame the identity of its content.
    ///
    /// The content must be complete.
    ///
    /// - Parameter isOwn: whether this process made the content, rather than opened a sealed page.
    /// - Returns: a block for ``collapse(_:)``, if one has become worth a huge page.
    package func identify(_ frame: Int, number: UInt64, check: UInt64, isOwn: Bool) -> Int? {
        let at = unsafe address(frame)
        let isFirst = unsafe bulla_word_load_relaxed(at + 24) & Self.usedBit == 0
        unsafe bulla_word_store_relaxed(at + 24, Self.usedBit | (isOwn ? Self.ownBit : 0))
        unsafe bulla_word_store_relaxed(at + 16, isOwn ? FrameMark.unseen : FrameMark.seen)
        unsafe bulla_word_store_relaxed(at + 8, check)
        unsafe bulla_word_store_release(at, number)
        // Count only the first fill of a frame: a few frames that are used again and again do not
        // fill a block.
        return isFirst ? unsafe hugeBlocks.noteFill(at, byteCount: frameByteCount) : nil
    }

    /// The block of memory that a frame lies in, if it can be a huge page.
    package func block(of frame: Int) -> Int? { unsafe hugeBlocks.block(at: address(frame)) }

    /// Lets the first touch of a block bring in a huge page.
    package func prepare(_ block: Int) { hugeBlocks.prepare(block) }

    /// Gives a huge page to a block that will soon be filled.
    package func makeReady(_ block: Int) { hugeBlocks.makeReady(block) }

    /// Moves a block of frames into a huge page; takes about a millisecond.
    package func collapse(_ block: Int) { hugeBlocks.collapse(block) }

    /// Ensures that no lookup which begins from now on finds the frame.
    package func clearIdentity(_ frame: Int) {
        unsafe bulla_word_store_relaxed(address(frame), 0)
    }

    /// Marks a frame that a writer has: it holds no page, but is not empty either.
    package func reserve(_ frame: Int, _ mark: UInt64) {
        unsafe bulla_word_store_relaxed(address(frame), mark)
    }

    /// Whether the frame holds no page, and no writer has it.
    package func isEmpty(_ frame: Int) -> Bool { number(frame) == 0 }

    package func number(_ frame: Int) -> UInt64 { unsafe bulla_word_load_relaxed(address(frame)) }

    /// Counts a look at a page that is not in its home frame.
    ///
    /// Some looks are lost if several threads look at once. After the limit is reached, nothing
    /// more is written, because readers share the cache line.
    ///
    /// - Returns: whether the limit is reached.
    package func countLook(_ frame: Int, limit: UInt64) -> Bool {
        let at = unsafe address(frame) + 24
        let count = unsafe bulla_word_load_relaxed(at)
        guard count & ~(Self.ownBit | Self.usedBit) < limit else { return true }
        unsafe bulla_word_store_relaxed(at, count + 1)
        return false
    }

    /// Whether this process made the content that a view shows.
    package static func isOwn(_ content: ByteView) -> Bool {
        unsafe bulla_word_load_relaxed(content.base - identityByteCount + 24) & ownBit != 0
    }

    private static let ownBit: UInt64 = 1 << 63
    private static let usedBit: UInt64 = 1 << 62

    /// Whether this process made the frame's content, and no reader has looked at it since.
    package func isUnseen(_ frame: Int) -> Bool {
        unsafe bulla_word_load_relaxed(address(frame) + 16) == FrameMark.unseen
    }

    /// Whether the frame was filled or looked at since the last call.
    package func takeReferenced(_ frame: Int) -> Bool {
        let at = unsafe address(frame) + 16
        guard unsafe bulla_word_load_relaxed(at) != FrameMark.passed else { return false }
        unsafe bulla_word_store_relaxed(at, FrameMark.passed)
        return true
    }

    /// Empties every frame: none still holds a page, or a byte of one.
    package func wipe() { region.wipe() }

    /// The name by which a view of a frame's content is held: the frame's address.
    @inlinable @inline(__always)
    package static func name(ofContent content: ByteView) -> UInt64 {
        unsafe UInt64(UInt(bitPattern: content.base - identityByteCount))
    }

    package func name(_ frame: Int) -> UInt64 { unsafe UInt64(UInt(bitPattern: address(frame))) }
}

/// Whether threads have looked at a frame: the values of its mark.
@usableFromInline enum FrameMark {
    @usableFromInline static let passed: UInt64 = 0
    @usableFromInline static let seen: UInt64 = 1
    @usableFromInline static let unseen: UInt64 = 2
}
