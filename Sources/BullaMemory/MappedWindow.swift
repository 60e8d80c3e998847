internal import CBullaShared

/// A file that appears as one address range, in segments that are mapped as needed.
///
/// A segment is 1 GiB, a multiple of every page size, so no page lies across two segments. Segments
/// reach past the file's end, so the file can grow into them. If the system has no address space
/// for a whole segment, parts of it are mapped one by one.
@usableFromInline @safe package final class MappedWindow: @unchecked Sendable {
    // `@unchecked`: bases are atomic words; a segment, once linked, stays until deinit.

    @usableFromInline static let segmentBits: UInt64 = 30
    @usableFromInline package static let segmentByteCount = 1 << Int(segmentBits)
    /// 16384 segments, or 16 TiB: as many pages of 4 KiB as a word table has words.
    @usableFromInline package static let segmentCountLimit: UInt64 = 1 << 14
    /// How much of a file can be mapped.
    package static let byteLimit = segmentCountLimit << segmentBits

    /// Bytes in a part of a segment; this, too, is a multiple of every page size.
    package static let partByteCount = 1 << Int(partBits)
    private static let partBits: UInt64 = 22

    @usableFromInline let bases: SharedWords
    /// Where parts of segments lie, for segments that are not mapped whole.
    private let parts: WordTable
    private let region: AnonymousRegion
    private var owners: [SegmentOwner] = []
    private var isWiped = false

    package init() throws(MemoryError) {
        region = try AnonymousRegion(byteCount: Int(Self.segmentCountLimit) * 8)
        bases = SharedWords(region.bytes)
        parts = try WordTable()
    }

    /// The bytes of a page; `nil` if neither its segment nor its part of the segment is mapped yet.
    @inlinable @inline(__always)
    package func page(at offset: UInt64, byteCount: Int) -> ByteView? {
        let segment = offset >> Self.segmentBits
        guard segment < Self.segmentCountLimit else { return nil }
        let base = bases.loadAcquire(Int(segment) * 8)
        guard let start = unsafe UnsafeRawPointer(bitPattern: UInt(base)) else {
            return pageOfPart(at: offset, byteCount: byteCount)
        }
        let inside = Int(offset & (1 << Self.segmentBits - 1))
        // SAFETY: a page lies in one segment, and the segment is mapped until deinit.
        return unsafe ByteView(base: start + inside, byteCount: byteCount)
    }

    /// Bytes at any offset; `nil` if they are not mapped yet, or lie across two parts or more.
    package func bytes(at offset: UInt64, byteCount: Int) -> ByteView? {
        let last = offset + UInt64(max(byteCount, 1) - 1)
        guard offset >> Self.partBits == last >> Self.partBits else { return nil }
        return page(at: offset, byteCount: byteCount)
    }

    @usableFromInline @inline(never)
    func pageOfPart(at offset: UInt64, byteCount: Int) -> ByteView? {
        let base = parts.load(offset >> Self.partBits)
        guard let start = unsafe UnsafeRawPointer(bitPattern: UInt(base)) else { return nil }
        let inside = Int(offset & (1 << Self.partBits - 1))
        // SAFETY: a page lies in one part, and the part is mapped until deinit.
        return unsafe ByteView(base: start + inside, byteCount: byteCount)
    }

    /// Links the part that begins at `offset`, a multiple of a part's size.
    ///
    /// Only one thread at a time may call this.
    ///
    /// - Returns: `false` if there is no memory for the link.
    package func add(_ mapping: consuming FileMapping, partAt offset: UInt64) -> Bool {
        precondition(mapping.bytes.byteCount == Self.partByteCount, "a part is whole")
        guard !isWiped else { return true }
        let base = unsafe UInt64(UInt(bitPattern: mapping.bytes.base))
        guard parts.store(base, at: offset >> Self.partBits) else { return false }
        owners.append(SegmentOwner(mapping))
        return true
    }

    /// Links a segment.
    ///
    /// Only one thread at a time may call this.
    package func add(_ mapping: consuming FileMapping, segment: UInt64) {
        precondition(mapping.bytes.byteCount == Self.segmentByteCount, "a segment is whole")
        guard !isWiped else { return }
        let base = unsafe UInt64(UInt(bitPattern: mapping.bytes.base))
        owners.append(SegmentOwner(mapping))
        bases.storeRelease(base, Int(segment) * 8)
    }

    /// Maps zeros in place of everything that is mapped; from then on, linking has no effect.
    ///
    /// Only one thread at a time may call this.
    package func wipe() {
        isWiped = true
        for owner in owners { owner.mapping.wipe() }
    }

    /// Whether an access to any of the mapped segments or parts got zeros, because the file was cut
    /// short.
    package var hasFaulted: Bool { owners.contains { $0.mapping.hasFaulted } }
}

/// Holds a mapping for an array, which cannot hold a noncopyable value itself.
private final class SegmentOwner {
    let mapping: FileMapping
    init(_ mapping: consuming FileMapping) { self.mapping = mapping }
}
