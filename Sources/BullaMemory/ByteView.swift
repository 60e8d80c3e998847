public import CBullaShared

/// Bytes that the view does not own: a page in a frame, in a mapping, or in a dirty buffer.
///
/// The owner must outlive the view; in the engine an epoch, a pin or the writer lock ensures that.
/// Bytes from a file can name any offset. So a read outside the view gives zero or nothing, and no
/// content of a page can make its reader trap.
@usableFromInline @safe package struct ByteView {
    @usableFromInline package let base: UnsafeRawPointer
    @usableFromInline package let byteCount: Int

    @inlinable
    package init(base: UnsafeRawPointer, byteCount: Int) {
        unsafe self.base = unsafe base
        self.byteCount = byteCount
    }

    @inlinable @inline(__always)
    package func contains(_ offset: Int, _ count: Int) -> Bool {
        // The first comparison refuses a negative offset, or one past the end; the second refuses a
        // negative count, or one that is too large. Nothing is added that could overflow.
        UInt(bitPattern: offset) <= UInt(bitPattern: byteCount)
            && UInt(bitPattern: count) <= UInt(bitPattern: byteCount &- offset)
    }

    /// The little-endian integer at `offset`; zero if it does not lie inside.
    @inlinable @inline(__always)
    package func load<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
        guard contains(offset, MemoryLayout<T>.size) else { return 0 }
        // SAFETY: in bounds, checked above; any bit pattern is an integer.
        return unsafe T(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The little-endian integer at `offset`, a multiple of four, in memory that others may be
    /// writing.
    ///
    /// Every call reads the memory anew, each half of the integer in a single access.
    @inlinable @inline(__always)
    package func loadShared(at offset: Int) -> UInt64 {
        precondition(offset & 3 == 0 && contains(offset, 8), "a shared word lies in its view")
        // SAFETY: in bounds and aligned to four, checked above.
        return unsafe UInt64(littleEndian: bulla_halves_load(base + offset))
    }

    /// `count` bytes from `offset`; none if they do not lie inside.
    @inlinable @inline(__always)
    package func slice(_ offset: Int, _ count: Int) -> ByteView {
        // SAFETY: in bounds, checked here; otherwise the view is empty.
        contains(offset, count)
            ? unsafe ByteView(base: base + offset, byteCount: count)
            : unsafe ByteView(base: base, byteCount: 0)
    }

    /// This view and `next` as one view; `nil` unless `next` begins where this view ends.
    ///
    /// Both views must belong to the same owner.
    @inlinable @inline(__always)
    package func joined(with next: ByteView) -> ByteView? {
        // SAFETY: the first view's end is only compared with an address, and no byte there is read.
        guard unsafe base + byteCount == next.base else { return nil }
        // SAFETY: both are valid, and nothing lies between them.
        return unsafe ByteView(base: base, byteCount: byteCount &+ next.byteCount)
    }

    /// Compares byte by byte; returns a number below zero if this view sorts before the other, zero
    /// if they are equal, and a number above zero otherwise.
    ///
    /// A view sorts before every longer view that begins with its bytes.
    @inlinable @inline(__always)
    package func compare(_ other: ByteView) -> Int {
        // SAFETY: both are valid for the smaller of their counts.
        let order = unsafe bulla_bytes_compare(base, other.base, min(byteCount, other.byteCount))
        return order != 0 ? Int(order) : byteCount - other.byteCount
    }

    /// Begins to load the first cache lines; a hint, which never faults.
    @inlinable @inline(__always)
    package func prefetch(lineCount: Int) {
        for line in 0..<lineCount { unsafe bulla_prefetch(base + line * 64) }
    }

    /// How many leading bytes are the same in both.
    @inlinable
    package func commonPrefix(_ other: ByteView) -> Int {
        let limit = min(byteCount, other.byteCount)
        var index = 0
        // SAFETY: `index` stays below both counts.
        while index < limit,
            unsafe base.load(fromByteOffset: index, as: UInt8.self)
                == other.base.load(fromByteOffset: index, as: UInt8.self)
        { index += 1 }
        return index
    }

    /// A copy that owns its bytes, on the ordinary heap: for callers to keep, or for bytes that are
    /// not secret.
    @inlinable
    package func copied() -> [UInt8] {
        // SAFETY: valid for `byteCount` bytes.
        unsafe [UInt8](UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// The bytes as text for a caller to keep; invalid UTF-8 is repaired.
    package var text: String {
        // SAFETY: valid for `byteCount` bytes.
        unsafe String(
            decoding: UnsafeRawBufferPointer(start: base, count: byteCount), as: UTF8.self)
    }

    /// Lends `first` followed by a copy of this view's bytes (at most 255), without an allocation.
    @inlinable @inline(__always)
    package func withCopy<R, E: Error>(
        after first: UInt8, _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        precondition(byteCount < 256, "the copy is short")
        // SAFETY: the copy fits in these 256 bytes of the stack. The view covers only the bytes
        // that are written here, and does not leave `body`.
        let result = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { copy in
            let start = unsafe copy.baseAddress.unsafelyUnwrapped
            // Wiped, because later calls reuse the stack, and core dumps include it.
            defer { unsafe bulla_bytes_wipe(start, 1 + byteCount) }
            unsafe start.storeBytes(of: first, as: UInt8.self)
            unsafe (start + 1).copyMemory(from: base, byteCount: byteCount)
            let view = unsafe ByteView(base: start, byteCount: 1 + byteCount)
            return Result { () throws(E) in try body(view) }
        }
        return try result.get()
    }

    /// Lends the bytes as a span, for as long as `body` runs.
    @inlinable @inline(__always)
    package func withSpan<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        // SAFETY: the owner outlives the view, and the span does not leave `body`.
        try body(unsafe RawSpan(_unsafeStart: base, byteCount: byteCount))
    }
}

/// Views are equal if their bytes are.
extension ByteView: Hashable {
    @inlinable
    package static func == (one: ByteView, other: ByteView) -> Bool {
        one.byteCount == other.byteCount && one.compare(other) == 0
    }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        // SAFETY: valid for `byteCount` bytes.
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(start: base, count: byteCount))
    }
}

/// Writable bytes that the view does not own.
@usableFromInline @safe package struct MutableByteView {
    @usableFromInline package let base: UnsafeMutableRawPointer
    @usableFromInline package let byteCount: Int

    @inlinable
    package init(base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe self.base = unsafe base
        self.byteCount = byteCount
    }

    @inlinable @inline(__always)
    package var view: ByteView { unsafe ByteView(base: base, byteCount: byteCount) }

    /// Stores a little-endian integer.
    ///
    /// Only a bug in this code can write outside the view, so such a write traps.
    @inlinable @inline(__always)
    package func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
        precondition(view.contains(offset, MemoryLayout<T>.size), "a store lies inside its view")
        // SAFETY: in bounds, checked above.
        unsafe base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }

    /// Copies `source` to `offset`.
    ///
    /// `source` may overlap the bytes that it is copied to.
    @inlinable @inline(__always)
    package func copy(_ source: ByteView, to offset: Int) {
        precondition(view.contains(offset, source.byteCount), "a copy lies inside its view")
        // SAFETY: in bounds, checked above; memmove allows an overlap.
        unsafe (base + offset).copyMemory(from: source.base, byteCount: source.byteCount)
    }

    /// Moves `count` bytes inside the view.
    ///
    /// The two places may overlap.
    @inlinable @inline(__always)
    package func move(from source: Int, to target: Int, count: Int) {
        precondition(
            view.contains(source, count) && view.contains(target, count), "a move stays inside")
        // SAFETY: in bounds, checked above; memmove allows an overlap.
        unsafe (base + target).copyMemory(from: base + source, byteCount: count)
    }

    @inlinable
    package func fill(_ offset: Int, _ count: Int, with byte: UInt8 = 0) {
        precondition(view.contains(offset, count), "a fill lies inside its view")
        // SAFETY: in bounds, checked above.
        unsafe (base + offset).initializeMemory(as: UInt8.self, repeating: byte, count: count)
    }

    @inlinable @inline(__always)
    package func slice(_ offset: Int, _ count: Int) -> MutableByteView {
        precondition(view.contains(offset, count), "a slice lies inside its view")
        // SAFETY: in bounds, checked above.
        return unsafe MutableByteView(base: base + offset, byteCount: count)
    }
}

extension RawSpan {
    /// Lends the span as a view, for as long as `body` runs.
    @inlinable @inline(__always)
    package func withView<R: ~Copyable, E: Error>(
        _ body: (ByteView) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the view is used only while the span is borrowed. An empty span may have no
        // address.
        try unsafe withUnsafeBytes { buffer throws(E) in
            try unsafe body(
                ByteView(base: buffer.baseAddress ?? emptyBytes, byteCount: buffer.count))
        }
    }
}

extension [UInt8] {
    /// `byteCount` bytes, at least one, that `body` writes; zeros where it does not.
    ///
    /// Making an array of zeros, or an uninitialized one, looks up the type of its storage each
    /// time (as of Swift 6.3), which takes as long as copying some hundred bytes. So up to 1024
    /// bytes are written on the stack, and then copied. They must not be secret.
    @inlinable @inline(__always)
    package init<E: Error>(
        byteCount: Int, _ body: (MutableByteView) throws(E) -> Void
    ) throws(E) {
        precondition(byteCount > 0, "there are bytes to write")
        if byteCount > 1024 {
            self.init(repeating: 0, count: byteCount)
            try unsafe withUnsafeMutableBufferPointer { buffer throws(E) in
                // SAFETY: an array that is not empty has an address, and stays while `body` runs.
                try body(unsafe MutableByteView(base: buffer.baseAddress!, byteCount: byteCount))
            }
        } else {
            self = try MutableByteView.withTemporary(byteCount: byteCount) { bytes throws(E) in
                bytes.fill(0, byteCount)
                try body(bytes)
                return bytes.view.copied()
            }
        }
    }
}

extension MutableByteView {
    /// Lends `byteCount` bytes for as long as `body` runs: up to 1024 from the stack, more from the
    /// heap.
    ///
    /// Their content is undefined, and they are not wiped.
    @inlinable @inline(__always)
    package static func withTemporary<R: ~Copyable, E: Error>(
        byteCount: Int, _ body: (MutableByteView) throws(E) -> R
    ) throws(E) -> R {
        // SAFETY: the view has as many bytes as the allocation, and does not leave `body`.
        try unsafe withUnsafeTemporaryAllocation(
            byteCount: byteCount, alignment: 8
        ) { buffer throws(E) in
            let start = unsafe buffer.baseAddress ?? UnsafeMutableRawPointer(mutating: emptyBytes)
            return try body(unsafe MutableByteView(base: start, byteCount: byteCount))
        }
    }
}

/// Bytes that another thread writes while their owner waits for it.
@safe package struct SentBytes: @unchecked Sendable {
    package let bytes: MutableByteView

    package init(_ bytes: MutableByteView) { self.bytes = bytes }
}

/// Where an empty view points.
@usableFromInline nonisolated(unsafe) let emptyBytes = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8))

/// No bytes.
@inlinable package var emptyView: ByteView { unsafe ByteView(base: emptyBytes, byteCount: 0) }
