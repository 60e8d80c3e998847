internal import CBullaShared
internal import CBullaTopology
internal import Glibc

/// Private memory in whole machine pages: zeroed, kept out of core dumps, empty in a forked child.
@usableFromInline @safe package struct AnonymousRegion: ~Copyable, @unchecked Sendable {
    // `@unchecked`: the address never changes; the owner decides which thread writes where.

    /// The region's bytes, valid for as long as the region exists.
    @usableFromInline package let bytes: MutableByteView

    /// Maps a region; memory is taken only when it is first touched.
    ///
    /// - Parameters:
    ///   - byteCount: the size in bytes, which is rounded up to whole machine pages.
    ///   - isLarge: whether to spread the region over NUMA nodes, and to reserve no memory in
    ///     advance (`MAP_NORESERVE`).
    /// - Throws: ``MemoryError`` if the system has no address space.
    package init(byteCount: Int, isLarge: Bool = false) throws(MemoryError) {
        try self.init(byteCount, isLarge: isLarge, open: .max)
    }

    /// Reserves address space, of which only the first bytes can be used until more are opened with
    /// ``open(_:)``.
    ///
    /// Unopened bytes take no memory, even if the process locks all of its memory.
    init(reserving byteCount: Int, open first: Int) throws(MemoryError) {
        try self.init(byteCount, isLarge: true, open: first)
    }

    private init(_ byteCount: Int, isLarge: Bool, open first: Int) throws(MemoryError) {
        let rounded = max(byteCount, 1).roundedUp(toMultipleOf: machinePageByteCount)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | (isLarge ? MAP_NORESERVE : 0)
        let access = PROT_READ | PROT_WRITE
        let isWhole = first >= rounded
        let base = unsafe mmap(nil, rounded, isWhole ? access : PROT_NONE, flags, -1, 0)
        guard let base = unsafe base, unsafe base != MAP_FAILED else {
            throw MemoryError(errno: errno)
        }
        // SAFETY: the first part of our new mapping, all of which is unmapped if this fails.
        guard isWhole || (unsafe mprotect(base, first, access)) == 0 else {
            let error = MemoryError(errno: errno)
            unsafe _ = munmap(base, rounded)
            throw error
        }
        // Advice that the kernel does not know has no effect.
        unsafe _ = madvise(base, rounded, Advice.dontDump)
        unsafe _ = madvise(base, rounded, Advice.wipeOnFork)
        if isLarge { unsafe bulla_topology_interleave(base, rounded) }
        bytes = unsafe MutableByteView(base: base, byteCount: rounded)
    }

    /// Opens a part of the reserved range, in whole machine pages.
    ///
    /// - Throws: ``MemoryError`` if the system has no memory for it.
    func open(_ range: Range<Int>) throws(MemoryError) {
        let part = bytes.slice(range.lowerBound, range.count)
        // SAFETY: inside a mapping of ours, as the slice was checked.
        guard unsafe mprotect(part.base, part.byteCount, PROT_READ | PROT_WRITE) == 0 else {
            throw MemoryError(errno: errno)
        }
    }

    /// Zeroes every byte; the addresses stay readable.
    ///
    /// The memory goes back to the system, unless it is locked, in which case it is overwritten.
    package func wipe() { wipe(bytes.byteCount) }

    /// Zeroes the first bytes; those after them must be unused.
    func wipe(_ byteCount: Int) {
        let part = bytes.slice(0, byteCount)
        // SAFETY: inside a mapping of ours, as the slice was checked.
        guard unsafe madvise(part.base, part.byteCount, MADV_DONTNEED) != 0 else { return }
        unsafe bulla_bytes_wipe(part.base, part.byteCount)
    }

    deinit {
        // SAFETY: mapped in init, unmapped once.
        unsafe _ = munmap(bytes.base, bytes.byteCount)
    }
}

/// Linux's numbers for advice (madvise(2)) that the C library's Swift module does not export.
enum Advice {
    static let dontFork: Int32 = 10
    static let hugePage: Int32 = 14
    static let dontDump: Int32 = 16
    static let wipeOnFork: Int32 = 18
    static let collapse: Int32 = 25
}

/// The machine's page size, which has nothing to do with a store's page.
package let machinePageByteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

extension Int {
    @inlinable
    package func roundedUp(toMultipleOf unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
