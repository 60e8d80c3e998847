internal import CBullaShared
internal import CBullaTopology
internal import Glibc

/// A mapping of memory that processes share through a descriptor: kept out of core dumps, and
/// absent in a forked child.
///
/// It begins at a multiple of a huge page's size, so that the memory can come in huge pages. If the
/// system has no memory for a part of it, this process gets private zeros in that place.
@safe package struct SharedRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: words are atomic; the owner decides which thread writes where.

    /// The region's bytes, valid until it goes away.
    package let bytes: MutableByteView
    private let hugeBlocks: HugeBlocks
    /// The number under which the fault handler watches the mapping.
    private let watch: Int32
    private let sentinel: ForkSentinel?

    /// Maps the first `byteCount` bytes of the shared memory that a descriptor names.
    package init(descriptor: Int32, byteCount: Int) throws(MemoryError) {
        let bytes = try Self.map(descriptor, byteCount)
        let hugeBlocks = try Self.blocks(of: bytes)
        // Advice that the kernel does not know has no effect.
        unsafe _ = madvise(bytes.base, byteCount, Advice.dontDump)
        unsafe _ = madvise(bytes.base, byteCount, Advice.dontFork)
        unsafe bulla_topology_interleave(bytes.base, byteCount)
        let watch = unsafe bulla_fault_watch(bytes.base, byteCount, true)
        guard watch >= 0 else {
            unsafe _ = munmap(bytes.base, byteCount)
            // The fault handler can watch no more mappings. Throw what the system reports for too
            // many mappings.
            throw MemoryError(errno: ENOMEM)
        }
        self.bytes = bytes
        self.hugeBlocks = hugeBlocks
        self.watch = watch
        sentinel = ForkSentinel()
    }

    /// The blocks of a new mapping; unmaps it again if there is no memory to count its blocks.
    private static func blocks(of bytes: MutableByteView) throws(MemoryError) -> HugeBlocks {
        do throws(MemoryError) { return try HugeBlocks(bytes) } catch {
            unsafe _ = munmap(bytes.base, bytes.byteCount)
            throw error
        }
    }

    /// Maps the shared memory at a multiple of a huge page's size.
    private static func map(
        _ descriptor: Int32, _ byteCount: Int
    ) throws(MemoryError) -> MutableByteView {
        let block = Int(HugeBlocks.blockByteCount)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let room = unsafe mmap(nil, byteCount + block, PROT_NONE, flags, -1, 0)
        guard let room = unsafe room, unsafe room != MAP_FAILED else {
            throw MemoryError(errno: errno)
        }
        let skipped = (block - Int(bitPattern: room) % block) % block
        // SAFETY: inside the range that was reserved; the rest of it is given back.
        let base = unsafe mmap(
            room + skipped, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0
        )
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            let error = MemoryError(errno: errno)
            unsafe _ = munmap(room, byteCount + block)
            throw error
        }
        if skipped > 0 { unsafe _ = munmap(room, skipped) }
        unsafe _ = munmap(base + byteCount, block - skipped)
        return unsafe MutableByteView(base: base, byteCount: byteCount)
    }

    /// Whether a part of the region has ceased to be shared, because the system had no memory for
    /// it.
    package var hasFaulted: Bool { bulla_fault_count_of(watch) > 0 }

    /// Notes that bytes were filled.
    ///
    /// - Returns: the block that should now become a huge page (``collapse(_:)``), because these
    ///   bytes have filled enough of it; usually `nil`.
    package func noteFill(_ part: MutableByteView) -> Int? {
        unsafe hugeBlocks.noteFill(part.base, byteCount: part.byteCount)
    }

    /// Moves a block into a huge page, for all processes; takes about a millisecond.
    package func collapse(_ block: Int) { hugeBlocks.collapse(block) }

    /// Puts private zeros in the place of the shared memory, which stays as it is for other
    /// processes.
    package func detach() {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE
        // SAFETY: replaces exactly a mapping of ours. If the system refuses, the mapping stays.
        unsafe _ = mmap(
            bytes.base, bytes.byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
    }

    deinit {
        // In a forked child, something else may have been mapped there.
        guard sentinel?.isOriginal ?? true else { return }
        bulla_fault_unwatch(watch)
        // SAFETY: mapped in init, unmapped once.
        unsafe _ = munmap(bytes.base, bytes.byteCount)
    }
}
