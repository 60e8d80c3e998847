public import CBullaShared

/// Frames side by side, in memory that this type does not own.
///
/// Each page has a *home* among the frames, which the page's number determines. ``FrameRegion``
/// describes what lies in a frame.
@usableFromInline @safe package struct FrameHomes: @unchecked Sendable {
    // `@unchecked`: identities are atomic words; content is written before a frame is published.

    @usableFromInline package static let identityByteCount = 32

    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline package let frameByteCount: Int
    @usableFromInline package let frameCount: Int
    /// 2^64 divided by the number of frames, rounded up.
    @usableFromInline let reciprocal: UInt64

    /// As many frames as fit into `bytes`, whose owner must outlive this.
    package init(_ bytes: MutableByteView, frameByteCount: Int) {
        let frameCount = bytes.byteCount / frameByteCount
        precondition(frameByteCount >= 4096 && frameCount > 1, "frames have a size and a number")
        unsafe base = unsafe bytes.base
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

    /// The frame that a page goes to if that frame is free: the page's number modulo the number of
    /// frames.
    ///
    /// A lookup that finds the page there need not wait for the cache's table, which holds the
    /// address of each page's frame. The remainder is computed without a division: D. Lemire, O.
    /// Kaser, N. Kurz, "Faster remainder by direct computation", 2019. The remainder is exact for
    /// page numbers below 2^32; for all others, it is still the number of a frame that exists.
    @inlinable @inline(__always)
    package func home(_ number: UInt64) -> Int {
        Int((reciprocal &* number).multipliedFullWidth(by: UInt64(frameCount)).high)
    }

    /// The content of a page's home frame, if the frame holds this version of this page.
    @inlinable @inline(__always)
    package func contentAtHome(number: UInt64, check: UInt64) -> ByteView? {
        unsafe content(at: address(home(number)), number: number, check: check)
    }

    /// Whether a page's home frame holds this version of this page; does not mark the frame as
    /// looked at.
    @inlinable @inline(__always)
    package func isAtHome(number: UInt64, check: UInt64) -> Bool {
        unsafe peek(at: address(home(number)), number: number, check: check) != nil
    }

    /// The content of a named frame, if the frame holds this version of this page.
    ///
    /// A name is the frame's address. It must come from ``name(_:)``, through memory that only this
    /// process writes.
    @inlinable @inline(__always)
    package func content(named name: UInt64, number: UInt64, check: UInt64) -> ByteView? {
        guard let at = unsafe UnsafeMutableRawPointer(bitPattern: UInt(name)) else { return nil }
        return unsafe content(at: at, number: number, check: check)
    }

    /// As ``content(named:number:check:)``, but does not mark the frame as looked at.
    package func peek(named name: UInt64, number: UInt64, check: UInt64) -> ByteView? {
        guard let at = unsafe UnsafeMutableRawPointer(bitPattern: UInt(name)) else { return nil }
        return unsafe peek(at: at, number: number, check: check)
    }

    /// The content of a named frame, whatever the frame's identity is.
    ///
    /// Call this inside the epoch in which the caller found its page in the frame: the content
    /// stays until the caller leaves the epoch, even if another thread takes away the frame's
    /// identity.
    package func content(named name: UInt64) -> ByteView {
        writableContent(frame(named: name)).view
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
        return unsafe content(at: frame)
    }

    @inlinable @inline(__always)
    func content(at frame: UnsafeMutableRawPointer) -> ByteView {
        unsafe ByteView(
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

    /// The content of a frame, for writing an opened page into it.
    package func writableContent(_ frame: Int) -> MutableByteView {
        unsafe MutableByteView(
            base: address(frame) + Self.identityByteCount,
            byteCount: frameByteCount - Self.identityByteCount)
    }

    /// The range in which the names of these frames lie.
    package var nameRange: Range<UInt64> {
        let first = unsafe UInt64(UInt(bitPattern: base))
        return first..<first + UInt64(frameCount * frameByteCount)
    }

    /// Marks a named frame as looked at.
    package func see(named name: UInt64) { mark(name, FrameMark.seen) }

    /// Marks a named frame as not looked at.
    package func pass(named name: UInt64) { mark(name, FrameMark.passed) }

    private func mark(_ name: UInt64, _ mark: UInt64) {
        guard let at = unsafe UnsafeMutableRawPointer(bitPattern: UInt(name)) else { return }
        unsafe bulla_word_store_relaxed(at + 16, mark)
    }

    /// Marks a frame as not looked at, and returns whether it was filled or looked at since it was
    /// last marked so.
    package func takeReferenced(_ frame: Int) -> Bool {
        let at = unsafe address(frame) + 16
        guard unsafe bulla_word_load_relaxed(at) != FrameMark.passed else { return false }
        unsafe bulla_word_store_relaxed(at, FrameMark.passed)
        return true
    }

    /// The name of a frame: its address.
    package func name(_ frame: Int) -> UInt64 { unsafe UInt64(UInt(bitPattern: address(frame))) }
}

/// The values of a frame's mark, which says whether threads have looked at the frame.
@usableFromInline enum FrameMark {
    @usableFromInline static let passed: UInt64 = 0
    @usableFromInline static let seen: UInt64 = 1
    @usableFromInline static let unseen: UInt64 = 2
}
