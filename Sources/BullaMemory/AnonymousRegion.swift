internal import CBullaShared
internal import CBullaTopology
internal import Glibc

/// Private memory in whole machine pages: zeroed, kept out of core dumps, empty in a forked child.
@usableFromInline @safe package struct AnonymousRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: the address never changes; who may write where is the owner's protocol.

    /// The region's bytes, valid until it goes away.
    @usableFromInline package let bytes: MutableByteView

    /// Maps a region; memory is taken at the first touch, not now.
    ///
    /// - Parameters:
    ///   - byteCount: rounded up to the machine's page.
    ///   - isLarge: spreads over NUMA nodes, and takes memory that may not be there.
    /// - Throws: ``MemoryError`` when the system gives no address space.
    package init(byteCount: Int, isLarge: Bool = false) throws(MemoryError) {
        let rounded = max(byteCount, 1).roundedUp(toMultipleOf: machinePageByteCount)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | (isLarge ? MAP_NORESERVE : 0)
        let base = unsafe mmap(nil, rounded, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            throw MemoryError(errno: errno)
        }
        // Advice that the kernel does not know costs nothing but its benefit.
        unsafe _ = madvise(base, rounded, Advice.dontDump)
        unsafe _ = madvise(base, rounded, Advice.wipeOnFork)
        if isLarge { unsafe bulla_topology_interleave(base, rounded) }
        bytes = unsafe MutableByteView(base: base, byteCount: rounded)
    }

    /// Makes every byte zero; the addresses stay readable.
    ///
    /// The memory goes back to the system, unless it is locked: then it is written over.
    package func wipe() {
        // SAFETY: the whole of a mapping of ours.
        guard unsafe madvise(bytes.base, bytes.byteCount, MADV_DONTNEED) != 0 else { return }
        unsafe bulla_bytes_wipe(bytes.base, bytes.byteCount)
    }

    deinit {
        // SAFETY: mapped in init, unmapped once.
        unsafe _ = munmap(bytes.base, bytes.byteCount)
    }
}

/// Advice numbers of Linux that the C library's Swift module does not show (madvise(2)).
enum Advice {
    static let dontFork: Int32 = 10
    static let hugePage: Int32 = 14
    static let dontDump: Int32 = 16
    static let wipeOnFork: Int32 = 18
    static let collapse: Int32 = 25
}

/// The machine's page, which has nothing to do with a store's page.
package let machinePageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

extension Int {
    @inlinable
    package func roundedUp(toMultipleOf unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
