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
        try self.init(byteCount, isLarge: isLarge, open: .max)
    }

    /// Takes address space, of which the first bytes may be used, and others once they are opened
    /// (``open(_:)``).
    ///
    /// The others take no memory, be it that all of the process's is locked.
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
        // SAFETY: the first part of what was mapped, which goes away where it cannot be opened.
        guard isWhole || (unsafe mprotect(base, first, access)) == 0 else {
            let error = MemoryError(errno: errno)
            unsafe _ = munmap(base, rounded)
            throw error
        }
        // Advice that the kernel does not know costs nothing but its benefit.
        unsafe _ = madvise(base, rounded, Advice.dontDump)
        unsafe _ = madvise(base, rounded, Advice.wipeOnFork)
        if isLarge { unsafe bulla_topology_interleave(base, rounded) }
        bytes = unsafe MutableByteView(base: base, byteCount: rounded)
    }

    /// Opens a part of what was reserved, in whole machine pages.
    ///
    /// - Throws: ``MemoryError`` when the system has no memory for it.
    func open(_ range: Range<Int>) throws(MemoryError) {
        let part = bytes.slice(range.lowerBound, range.count)
        // SAFETY: inside a mapping of ours, as the slice was checked.
        guard unsafe mprotect(part.base, part.byteCount, PROT_READ | PROT_WRITE) == 0 else {
            throw MemoryError(errno: errno)
        }
    }

    /// Makes every byte zero; the addresses stay readable.
    ///
    /// The memory goes back to the system, unless it is locked: then it is written over.
    package func wipe() { wipe(bytes.byteCount) }

    /// The same of the first bytes; nothing lies behind them.
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
