internal import CBullaShared

/// Frames for opened pages: each is one page long, with its identity in the first 32 bytes and the
/// content in the rest.
///
///     offset  bytes  field
///          0      8  page number; 0 (a page of no tree) if the frame is empty; while a writer has
///                    the frame, a random word, so that no forged file can contain that word
///          8      8  check, which identifies the version of that page
///         16      8  mark: 1 if a thread has filled the frame or looked at the page since the
///                    evictor last passed; 0 if not; 2 if this process made the page, and neither
///                    a reader nor the evictor has set the mark since
///         24      8  how often threads looked at the page while it was not in its home frame; bit
///                    63: this process made the page; bit 62: the frame holds, or has held, a page
///         32      -  content
///
/// The identity takes the place of the 32-byte trailer in which a sealed page ends.
@usableFromInline @safe package struct FrameRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: identities are atomic words; content is written before a frame is published.

    private let region: AnonymousRegion
    private let hugeBlocks: HugeBlocks
    /// Finds frames.
    package let homes: FrameHomes
    package var frameCount: Int { homes.frameCount }

    package init(frameByteCount: Int, frameCount: Int) throws(MemoryError) {
        precondition(frameByteCount >= 4096 && frameCount > 1, "frames have a size and a number")
        let region = try AnonymousRegion(byteCount: frameByteCount * frameCount, isLarge: true)
        hugeBlocks = try HugeBlocks(region.bytes)
        homes = FrameHomes(
            region.bytes.slice(0, frameByteCount * frameCount), frameByteCount: frameByteCount)
        self.region = region
    }

    /// Gives a frame the identity of its content.
    ///
    /// The content must be complete.
    ///
    /// - Parameter isOwn: whether this process made the content, rather than opened a sealed page.
    /// - Returns: a block that should now become a huge page (``collapse(_:)``), because enough of
    ///   it is filled; usually `nil`.
    package func identify(_ frame: Int, number: UInt64, check: UInt64, isOwn: Bool) -> Int? {
        let at = unsafe homes.address(frame)
        let isFirst = unsafe bulla_word_load_relaxed(at + 24) & Self.usedBit == 0
        unsafe bulla_word_store_relaxed(at + 24, Self.usedBit | (isOwn ? Self.ownBit : 0))
        unsafe bulla_word_store_relaxed(at + 16, isOwn ? FrameMark.unseen : FrameMark.seen)
        unsafe bulla_word_store_relaxed(at + 8, check)
        unsafe bulla_word_store_release(at, number)
        // Count only the first fill of a frame: refilling the same few frames again and again does
        // not fill a block.
        return isFirst ? unsafe hugeBlocks.noteFill(at, byteCount: homes.frameByteCount) : nil
    }

    /// The block of memory that a frame lies in, if it can be a huge page.
    package func block(of frame: Int) -> Int? { unsafe hugeBlocks.block(at: homes.address(frame)) }

    /// Lets the first touch of a block bring in a huge page.
    package func prepare(_ block: Int) { hugeBlocks.prepare(block) }

    /// Gives a huge page to a block that will soon be filled.
    package func makeReady(_ block: Int) { hugeBlocks.makeReady(block) }

    /// Gives huge pages to the blocks that contain many of these frames, which will all be filled.
    ///
    /// These frames need not be neighbors in their block. After a checkpoint has moved half of the
    /// leaves, a scan alternates between their new pages and the old pages of the others.
    package func makeReady(_ frames: [Int]) {
        var counts: [Int: Int] = [:]
        for frame in frames {
            guard let block = block(of: frame) else { continue }
            counts[block, default: 0] += 1
            if counts[block] == Self.readyCount { makeReady(block) }
        }
    }

    /// If this many frames of a block are filled together, the whole block is likely to be filled.
    private static let readyCount = 16

    /// Moves a block of frames into a huge page; takes about a millisecond.
    package func collapse(_ block: Int) { hugeBlocks.collapse(block) }

    /// Ensures that no lookup which begins from now on finds the frame.
    package func clearIdentity(_ frame: Int) {
        unsafe bulla_word_store_relaxed(homes.address(frame), 0)
    }

    /// Marks a frame as taken by a writer: it holds no page, but is not empty either.
    package func reserve(_ frame: Int, _ mark: UInt64) {
        unsafe bulla_word_store_relaxed(homes.address(frame), mark)
    }

    /// Whether the frame holds no page, and no writer has it.
    package func isEmpty(_ frame: Int) -> Bool { number(frame) == 0 }

    package func number(_ frame: Int) -> UInt64 {
        unsafe bulla_word_load_relaxed(homes.address(frame))
    }

    /// Counts a look at a page that is not in its home frame.
    ///
    /// Some looks are lost if several threads look at once. After the limit is reached, nothing
    /// more is written, because readers share the cache line.
    ///
    /// - Returns: whether earlier looks had already reached the limit.
    package func countLook(_ frame: Int, limit: UInt64) -> Bool {
        let at = unsafe homes.address(frame) + 24
        let count = unsafe bulla_word_load_relaxed(at)
        guard count & ~(Self.ownBit | Self.usedBit) < limit else { return true }
        unsafe bulla_word_store_relaxed(at, count + 1)
        return false
    }

    /// Whether this process made the content that a view shows.
    package static func isOwn(_ content: ByteView) -> Bool {
        unsafe bulla_word_load_relaxed(content.base - FrameHomes.identityByteCount + 24) & ownBit
            != 0
    }

    private static let ownBit: UInt64 = 1 << 63
    private static let usedBit: UInt64 = 1 << 62

    /// Whether this process made the frame's content, and neither a reader nor the evictor has set
    /// the frame's mark since.
    package func isUnseen(_ frame: Int) -> Bool {
        unsafe bulla_word_load_relaxed(homes.address(frame) + 16) == FrameMark.unseen
    }

    /// Zeroes every frame, so that none holds a page or a byte of one.
    package func wipe() { region.wipe() }

    /// The name under which a thread can hold the frame that has this content: the frame's address.
    @inlinable @inline(__always)
    package static func name(ofContent content: ByteView) -> UInt64 {
        unsafe UInt64(UInt(bitPattern: content.base - FrameHomes.identityByteCount))
    }

    package func name(_ frame: Int) -> UInt64 { homes.name(frame) }

    /// The number of the frame with this name; `nil` if none of these frames has the name.
    package func frame(ifNamed name: UInt64) -> Int? {
        homes.nameRange.contains(name) ? homes.frame(named: name) : nil
    }
}
