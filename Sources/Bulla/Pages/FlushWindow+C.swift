internal import BullaMemory
internal import Glibc

/// A part of a file, mapped so that `msync(2)` can flush a range of it.
///
/// The file must be open for writing: the kernel silently skips mappings of a file that is open for
/// reading only. The mapping allows neither reads nor writes. It covers one window of the file, and
/// is replaced only when a flush needs another window.
@safe struct FlushWindow: ~Copyable {
    enum Outcome {
        case done
        /// No address space is left; part of the range may not have been flushed.
        case notMapped
        case refused(Int32)
    }

    /// Usually enough for both halves of a log; it takes address space, not memory.
    private static let byteCount: UInt64 = 256 << 20
    private static let noAccess: Int32 = 0
    private static let dontFork: Int32 = 10

    private var base: UnsafeMutableRawPointer?
    /// The number of the window that is mapped; the file's first window has number 0.
    private var number: UInt64 = 0

    init() { unsafe base = nil }

    deinit {
        // SAFETY: `move` mapped it, and it is unmapped once.
        if let base = unsafe base { unsafe _ = munmap(base, Int(Self.byteCount)) }
    }

    /// Removes the mapping.
    mutating func unmap() {
        // SAFETY: it is our own mapping, and no other code has an address in it.
        if let base = unsafe base { unsafe _ = munmap(base, Int(Self.byteCount)) }
        unsafe base = nil
    }

    /// Flushes a part of the file.
    mutating func flush(_ descriptor: Int32, at offset: UInt64, byteCount: UInt64) -> Outcome {
        let page = UInt64(machinePageByteCount)
        var start = offset / page * page
        let end = offset + byteCount
        while start < end {
            let number = start / Self.byteCount
            guard move(to: number, of: descriptor), let base = unsafe base else {
                return .notMapped
            }
            let stop = min(end, (number + 1) * Self.byteCount)
            let inside = Int(start - number * Self.byteCount)
            // Do not retry a failed flush: nothing is known about what it made durable. SAFETY: the
            // addresses lie in our mapping, and nothing is read or written there.
            guard unsafe msync(base + inside, Int(stop - start), MS_SYNC) == 0 else {
                return .refused(errno)
            }
            start = stop
        }
        return .done
    }

    /// Maps a window, unless it is mapped already; `false` if no address space is left.
    private mutating func move(to number: UInt64, of descriptor: Int32) -> Bool {
        if unsafe base != nil, number == self.number { return true }
        unmap()
        let mapped = unsafe mmap(
            nil, Int(Self.byteCount), Self.noAccess, MAP_SHARED, descriptor,
            off_t(number * Self.byteCount))
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { return false }
        // A forked child does not need the mapping.
        unsafe _ = madvise(mapped, Int(Self.byteCount), Self.dontFork)
        unsafe base = unsafe mapped
        self.number = number
        return true
    }
}
