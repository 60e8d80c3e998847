/// Keeps short runs of bytes, such as names and keys, until it drops all of them.
///
/// Names and keys are as secret as values. So they lie in memory that is left out of core dumps and
/// is empty in a forked child. The memory comes in slabs, which are made as needed, and reused
/// after ``removeAll()``.
@safe package struct ByteArena: ~Copyable, @unchecked Sendable {
    // `@unchecked`: used by one thread at a time.

    private static let slabByteCount = 64 << 10

    private var slabs: [ScratchBuffer] = []
    /// The slab that is being filled, and how full it is.
    private var slab = 0
    private var filled = 0

    package init() {}

    /// A copy of `bytes` that stays where it is until ``removeAll()``.
    package mutating func keep(_ bytes: ByteView) throws(MemoryError) -> ByteView {
        while slab < slabs.count, filled + bytes.byteCount > slabs[slab].bytes.byteCount {
            (slab, filled) = (slab + 1, 0)
        }
        if slab == slabs.count {
            slabs.append(
                try ScratchBuffer(byteCount: max(bytes.byteCount, Self.slabByteCount)))
        }
        let copy = slabs[slab].bytes.slice(filled, bytes.byteCount)
        copy.copy(bytes, to: 0)
        filled += bytes.byteCount
        return copy.view
    }

    /// Drops everything that is kept; the bytes stay until later ones overwrite them.
    package mutating func removeAll() { (slab, filled) = (0, 0) }

    /// Zeroes everything that is kept, and drops it.
    package mutating func wipeKept() {
        for index in slabs.indices.prefix(slab + 1) {
            let bytes = slabs[index].bytes
            bytes.fill(0, index == slab ? filled : bytes.byteCount)
        }
        removeAll()
    }

    /// How many bytes the slabs have room for.
    package var capacity: Int { slabs.reduce(0) { $0 + $1.bytes.byteCount } }

    /// Zeroes all bytes.
    package func wipe() {
        for slab in slabs { slab.wipe() }
    }
}
